"""What the retriever looks at over a run: what is counted, against what, and what is said instead."""

from types import SimpleNamespace

import pytest

from boresight.explain.saliency.language import Language, Stemmer
from boresight.run.retriever_looks import BIGRAMS_KEPT, Looks

TEXTS = {"a": "old river town", "b": "a bridge", "long": " ".join(f"w{number}" for number in range(20))}
STEMMER = Stemmer("toy stemmer", lambda word: word.rstrip("s"))
NO_TOOLS = Language(no_stemmer="no stemmer here", no_tagger="no tagger here")


def line(trace, **values):
    """The stored explanations of a trace: by passage, the value of each of its words."""
    passages = []
    for key, own in values.items():
        tokens, place = [], 0
        for number, (word, value) in enumerate(zip(TEXTS[key].split(), own, strict=True)):
            tokens.append([number, word, place, place + len(word), value])
            place += len(word) + 1
        passages.append({"passage": key, "passage_side": {"tokens": tokens, "read": len(own) + 2}})
    return {"trace": trace, "passages": passages}


def looks(*lines, query="Which rivers?", language=NO_TOOLS, seed=0):
    found = Looks(seed, lambda: language)
    for one in lines:
        found.add(query, TEXTS, one)
    return found.to_json()


def tagger(**tags):
    """A tagger that knows the parts of speech of some words."""
    known = lambda text, starts: [tags.get(text[start:].split()[0], "X") for start in starts]  # noqa: E731
    return SimpleNamespace(name="toy tagger", labels=known)


def test_shares_are_means_over_passages_beside_their_control():
    found = looks(line("t", a=(0.0, 3.0, 1.0), b=(1.0, 1.0)), query="river a")["exact"]
    assert found["share"]["value"] == pytest.approx((3 / 4 + 1 / 2) / 2)
    assert found["over_random"]["value"] == pytest.approx(found["share"]["value"] - found["control"])
    assert (found["passages"], found["traces"]) == (2, 1)
    assert found["share"]["low"] is None  # one trace says nothing about spread


def test_intervals_are_over_traces():
    found = looks(line("t", a=(0.0, 3.0, 1.0)), line("u", a=(1.0, 1.0, 2.0)), query="river")["exact"]
    assert (found["share"]["low"], found["share"]["high"]) == (0.25, 0.75)


def test_stems_and_parts_of_speech_need_their_tools_and_are_never_zero():
    found = looks(line("t", a=(0.0, 3.0, 1.0)))
    assert found["stem"] == {"state": "undefined", "reason": "no stemmer here"}
    for group in ("part_of_speech", "bigram"):
        assert found[group] == {"state": "undefined", "reason": "no tagger here", "rows": []}
    assert found["tools"] == {"stem": None, "part_of_speech": None}
    assert found["exact"]["share"]["value"] == 0


def test_words_match_by_stem():
    found = looks(line("t", a=(1.0, 3.0, 0.0)), language=Language(STEMMER, no_tagger="none"))
    assert found["stem"]["share"]["value"] == 0.75
    assert found["tools"]["stem"] == "toy stemmer"


def test_a_part_of_speech_that_a_passage_lacks_has_no_share_of_it():
    known = Language(tagger=tagger(old="ADJ", river="NOUN", town="NOUN", bridge="NOUN"))
    found = looks(line("t", a=(1.0, 3.0, 0.0), b=(0.0, 2.0)), language=known)
    shares = {row["label"]: row["share"]["value"] for row in found["part_of_speech"]["rows"]}
    assert shares == {"NOUN": 0.875, "ADJ": 0.125, "X": 0.0}
    pairs = {row["label"]: row["share"]["value"] for row in found["bigram"]["rows"]}
    # in passage a the pairs hold 4 and 3 of 7; in passage b there is one
    assert pairs == {"X NOUN": 0.5, "ADJ NOUN": pytest.approx(2 / 7), "NOUN NOUN": pytest.approx(3 / 14)}


def test_all_tenths_are_told_and_of_bigrams_the_largest():
    known = Language(tagger=tagger(**{f"w{number}": f"T{number}" for number in range(20)}))
    found = looks(line("t", long=range(20)), language=known)
    assert [row["label"] for row in found["by_tenth"]["rows"]] == [str(tenth) for tenth in range(10)]
    assert found["by_tenth"]["rows"][9]["share"]["value"] == pytest.approx((18 + 19) / 190)
    assert len(found["part_of_speech"]["rows"]) == 20
    assert [row["label"] for row in found["bigram"]["rows"]][:2] == ["T18 T19", "T17 T18"]
    assert len(found["bigram"]["rows"]) == BIGRAMS_KEPT


def test_negative_weights_count_on_their_own():
    found = looks(line("t", a=(-1.0, -1.0, 2.0)), query="river")
    assert found["negative"]["share"]["value"] == 0.5
    assert found["negative_exact"]["share"]["value"] == 0.5
    assert looks(line("t", a=(1.0, 1.0, 2.0)))["negative_exact"]["state"] == "undefined"


def test_where_nothing_was_explained_everything_has_a_reason():
    found = looks({"trace": "t", "passages": []})
    assert found["exact"]["reason"] == "no passage was explained with saliency on its words"
    assert found["by_tenth"]["reason"] == "no passage was explained with saliency on its words"
    assert found["stem"]["reason"] == "no stemmer here"


def test_a_ranker_that_lists_matches_alone_has_read_the_other_words():
    one = line("t", a=(0.0, 3.0, 0.0))
    side = one["passages"][0]["passage_side"]
    side["tokens"], side["read"] = side["tokens"][1:2], None
    found = looks(one, query="river")["exact"]
    assert found["share"]["value"] == 1
    assert 0 < found["control"] < 1


def test_numbers_depend_on_the_seed_alone():
    lines = [line("t", a=(1.0, 3.0, 0.5)), line("u", a=(0.5, 0.1, 0.3))]
    assert looks(*lines) == looks(*reversed(lines)) == looks(*lines, seed=0)
    one, other = (looks(*lines, query="river", seed=seed)["exact"] for seed in (0, 1))
    assert one["share"]["value"] == other["share"]["value"]
    assert one["control"] != other["control"]
