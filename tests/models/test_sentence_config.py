import pytest

from boresight.errors import ModelError
from boresight.models.sentence_config import read_sentence_config

TYPES = "sentence_transformers.models."


def modules(*kinds):
    return [{"type": TYPES + kind, "path": f"{i}_{kind}" if i else ""} for i, kind in enumerate(kinds)]


def files(pooling=None, *, kinds=("Transformer", "Pooling"), **more):
    return {
        "modules.json": modules(*kinds),
        "1_Pooling/config.json": pooling or {"pooling_mode_mean_tokens": True},
        **{name.replace("__", "."): value for name, value in more.items()},
    }


def read(contents):
    return read_sentence_config(contents.get, "toy")


def test_no_configuration_means_mean_pooling_and_says_so():
    config = read({})
    assert (config.found, config.pooling, config.normalize, config.similarity) == (
        False,
        ("mean",),
        False,
        "cosine",
    )


@pytest.mark.parametrize(
    ("flag", "mode"),
    [
        ("cls_token", "cls"),
        ("max_tokens", "max"),
        ("mean_sqrt_len_tokens", "mean_sqrt_len"),
        ("lasttoken", "last"),
    ],
)
def test_each_pooling_flag_is_read(flag, mode):
    config = read(files({"pooling_mode_mean_tokens": False, f"pooling_mode_{flag}": True}))
    assert config.pooling == (mode,)


def test_several_pooling_modes_keep_the_order_of_their_vectors():
    flags = {
        "pooling_mode_mean_tokens": True,
        "pooling_mode_cls_token": True,
        "pooling_mode_max_tokens": True,
    }
    assert read(files(flags)).pooling == ("cls", "max", "mean")


@pytest.mark.parametrize(
    ("named", "modes"), [("lasttoken", ("last",)), ("mean", ("mean",)), (["cls", "mean"], ("cls", "mean"))]
)
def test_the_newer_form_names_its_pooling(named, modes):
    assert read(files({"pooling_mode": named})).pooling == modes


def test_an_unsupported_pooling_is_named():
    with pytest.raises(ModelError, match="toy pools by 'weightedmean'"):
        read(files({"pooling_mode_weightedmean_tokens": True}))


@pytest.mark.parametrize("kind", ["Dense", "Asym", "WordEmbeddings", "CLIPModel"])
def test_an_unsupported_module_is_named(kind):
    with pytest.raises(ModelError, match=f"has a module '{kind}'"):
        read(files(kinds=("Transformer", "Pooling", kind)))


@pytest.mark.parametrize(
    "kinds", [("Transformer",), ("Transformer", "Normalize", "Pooling"), ("Pooling", "Transformer")]
)
def test_an_unusual_order_of_modules_is_refused(kinds):
    with pytest.raises(ModelError, match=f"has the modules {', '.join(kinds)}, and only"):
        read(files(kinds=kinds))


def test_modules_named_by_their_defining_file_are_known():
    contents = files()
    contents["modules.json"][1]["type"] = "sentence_transformers.sentence_transformer.modules.pooling.Pooling"
    assert read(contents).found


def test_the_normalize_module_is_seen():
    assert read(files(kinds=("Transformer", "Pooling", "Normalize"))).normalize
    assert not read(files()).normalize


def test_a_missing_pooling_file_is_named():
    contents = files()
    del contents["1_Pooling/config.json"]
    with pytest.raises(ModelError, match=r"toy lacks the file 1_Pooling/config\.json"):
        read(contents)


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta"])
def test_length_and_case_come_from_the_transformer_file(kind):
    config = read(files(**{f"sentence_{kind}_config__json": {"max_seq_length": 128, "do_lower_case": True}}))
    assert (config.max_tokens, config.lower_case) == (128, True)


def test_a_transformer_in_a_subfolder_has_its_file_there():
    contents = files(**{"0_Transformer/sentence_bert_config__json": {"max_seq_length": 64}})
    contents["modules.json"][0]["path"] = "0_Transformer"
    config = read(contents)
    assert (config.transformer_path, config.max_tokens) == ("0_Transformer", 64)


def test_another_task_is_refused():
    with pytest.raises(ModelError, match="made for the task 'fill-mask'"):
        read(files(sentence_bert_config__json={"transformer_task": "fill-mask"}))


PROMPTS = {"query": "query: ", "passage": "passage: ", "sts": "similar: "}


@pytest.mark.parametrize(
    ("settings", "side", "prompt"),
    [
        ({"prompts": PROMPTS}, "query", "query: "),
        ({"prompts": PROMPTS}, "passage", "passage: "),
        ({"prompts": PROMPTS}, None, ""),
        ({"prompts": PROMPTS, "default_prompt_name": "sts"}, None, "similar: "),
        ({"prompts": {"document": "d: ", "passage": "p: "}}, "passage", "d: "),
        ({"prompts": {"query": "q: ", "sts": "s: "}, "default_prompt_name": "sts"}, "passage", "s: "),
        ({}, "query", ""),
        ({"prompts": {"query": "q: "}}, "passage", ""),
    ],
)
def test_each_side_has_its_prompt(settings, side, prompt):
    assert read(files(config_sentence_transformers__json=settings)).prompt(side) == prompt


@pytest.mark.parametrize(("named", "similarity"), [("dot", "dot"), ("cosine", "cosine"), (None, "cosine")])
def test_the_similarity_is_read(named, similarity):
    config = read(files(config_sentence_transformers__json={"similarity_fn_name": named}))
    assert config.similarity == similarity


def test_an_unsupported_similarity_is_named():
    with pytest.raises(ModelError, match="compares vectors by 'euclidean'"):
        read(files(config_sentence_transformers__json={"similarity_fn_name": "euclidean"}))
