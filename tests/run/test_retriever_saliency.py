"""`--explain retriever`: rows, resumption, and the retriever beside the generator on the same words."""

import json

import pytest

import boresight as bs
from boresight.errors import SpecError
from boresight.explain.both_sides import _Structural
from boresight.explain.parts import QUERY_EXPANSION, Part, structural
from boresight.game.query_game import words_of
from boresight.models.encoder import load_encoder
from boresight.models.fake import FakeGenerator
from boresight.models.rankers.bm25 import Bm25Ranker
from boresight.models.rankers.registry import load_ranker
from boresight.run.query_words import by_word, query_alignment
from boresight.run.retriever import open_retriever
from helpers import additive_table
from toy_encoders import cross_folder, dense_folder, sparse_folder

TEXTS = {"a": "red blue small", "b": "green blue", "c": "red"}
QUERY = "red blue"
TRACE = {
    "id": "t",
    "query": QUERY,
    "answer": "in Rome",
    "passages": [
        {"id": key, "text": text, "score": 3.0 - place} for place, (key, text) in enumerate(TEXTS.items())
    ],
}
OTHER = TRACE | {"id": "u", "query": "blue green"}
GENERATOR = FakeGenerator({"*": additive_table({"a": 1.0, "b": -0.5, "c": 0.25})})


@pytest.fixture(params=["dense", "cross-encoder", "bm25", "sparse", "maxsim"])
def ranker(request, tmp_path):
    if request.param == "bm25":
        return Bm25Ranker.fit({**TEXTS, "d": "stone", "e": "river"})
    makers = {"cross-encoder": cross_folder, "sparse": sparse_folder}
    folder = makers.get(request.param, dense_folder)(tmp_path / "model")
    return load_ranker(f"{request.param}:{folder}")


def audit(ranker, traces=(TRACE, OTHER), **settings):
    return bs.audit(list(traces), generator=GENERATOR, retriever=ranker, explain=["retriever"], **settings)


def lines_of(run):
    return [json.loads(line) for line in (run.folder / "explanations.jsonl").read_text().splitlines()]


def test_each_side_sums_to_the_score_or_to_its_change_from_the_baseline(ranker):
    run = audit(ranker)
    scores = ranker.score(QUERY, TEXTS)
    for passage in lines_of(run)[0]["passages"]:
        for name in ("query", "passage_side"):
            side = passage[name]
            total = sum(token[-1] for token in side["tokens"])
            assert passage["score"] == pytest.approx(scores[passage["passage"]], abs=1e-5)
            explained = passage["score"] - (side["base"] or 0.0)
            assert total == pytest.approx(explained + side["gap"], abs=1e-5)
            assert side["relative_gap"] <= 0.01 or side["warning"]


def test_rows_name_the_characters_of_query_and_passage(ranker):
    run = audit(ranker)
    rows = run.saliency.reset_index()
    rows = rows[(rows["trace"] == "t") & (rows["stage"] == ranker.name)]
    assert set(rows["side"]) == {"query", "passage"}
    assert set(rows["passage"]) == set(TEXTS)
    placed = rows.dropna(subset=["start"])
    assert len(placed)
    for row in placed.itertuples():
        source = QUERY if row.side == "query" else TEXTS[row.passage]
        said = source[int(row.start) : int(row.end)]
        assert said == row.text or (ranker.describe()["kind"] == "sparse" and row.text not in source.lower())


def test_stored_values_and_plan_are_the_same_with_and_without(tmp_path):
    encoder = load_encoder(str(dense_folder(tmp_path / "model")))
    plain = bs.audit([TRACE], generator=GENERATOR, retriever=encoder, out=tmp_path / "plain")
    audit(encoder, [TRACE], out=tmp_path / "explained")
    for name in ("plan.json", "passages.parquet", "measures.parquet", "targets.jsonl"):
        assert (tmp_path / "explained" / name).read_bytes() == (plain.folder / name).read_bytes()
    assert not (plain.folder / "explanations.jsonl").exists()


def test_a_finished_run_is_explained_later_and_a_cut_one_goes_on_to_the_same_bytes(tmp_path):
    encoder, out = load_encoder(str(dense_folder(tmp_path / "model"))), tmp_path / "run"
    bs.audit([TRACE, OTHER], generator=GENERATOR, retriever=encoder, out=out)
    calls = bs.Audit(out).run["counts"]["calls"]
    whole = audit(encoder, out=out)
    assert whole.run["counts"]["calls"] == calls
    names = ("explanations.jsonl", "saliency.parquet", "query_alignment.parquet", "summary.json")
    before = {name: (out / name).read_bytes() for name in names}
    data = before["explanations.jsonl"]
    (out / "explanations.jsonl").write_bytes(data[: data.index(b"\n") + 30])
    audit(encoder, out=out)
    assert {name: (out / name).read_bytes() for name in names} == before


def test_summary_holds_gaps_alignment_and_looks(tmp_path):
    run = audit(load_encoder(str(dense_folder(tmp_path / "model"))))
    found = run.summary["retriever"]
    assert (found["kind"], found["passages"], found["failed"]) == ("approximate", 6, 0)
    assert found["relative_gap"]["largest"] >= found["relative_gap"]["median"] >= 0
    assert found["query_alignment"]["warg@1.5"]["undefined"] == 2
    assert 0 <= found["looks"]["exact"]["share"]["value"] <= 1


def test_a_failure_is_a_line_and_a_warning_and_stops_nothing(tmp_path):
    class Broken(Bm25Ranker):
        def parts(self, query, text):
            if query == QUERY:
                raise ValueError("no parts today")
            return super().parts(query, text)

        def score(self, query, passages):
            return dict.fromkeys(passages, 0.0) if query == QUERY else super().score(query, passages)

    run = audit(Broken(Bm25Ranker.fit(TEXTS).statistics))
    assert [line["failed"] for line in lines_of(run)] == ["no parts today", None]
    assert any("could not be explained" in warning for warning in run.run["warnings"])
    assert run.summary["retriever"]["query_alignment"]["spearman"]["failed"] == 1


def test_tokens_go_to_the_last_word_that_they_reach_into():
    words = words_of("Who, then?")
    tokens = [[0, "Who", 0, 3, 1.0], [1, ",", 3, 4, 0.5], [2, " then", 4, 9, 2.0], [3, "x", None, None, 9.0]]
    assert by_word(words, tokens) == {"0": 1.5, "1": 2.0}


def test_the_words_that_both_depend_on_align():
    side = {"tokens": [[0, "red", 0, 3, 0.1], [1, "blue", 4, 8, 0.6], [2, "x", 9, 10, 0.0]]}
    line = {"failed": None, "passages": [{"passage": "a", "query": side}, {"passage": "b", "query": side}]}
    generator = [
        {"token": 0, "value": 0.1, "above_numeric": True},
        {"token": 1, "value": 2.0, "above_numeric": True},
        {"token": 2, "value": 1.5, "above_numeric": False},
    ]
    found = query_alignment("red blue x", line, generator)
    assert found["warg@1.5"].value == pytest.approx(1.0)
    assert found["spearman"].value == pytest.approx(1.0)
    reversed_ = query_alignment("red blue x", line, [one | {"value": -one["value"]} for one in generator])
    assert reversed_["warg@1.5"].reason == "no word has a positive attribution"


def test_explaining_without_a_retriever_is_refused():
    with pytest.raises(SpecError, match="needs --retriever SPEC"):
        bs.audit([TRACE], generator=GENERATOR, explain=["retriever"])


def test_a_ranker_without_words_is_refused_by_name():
    class Dice:
        name = "dice"

        def describe(self):
            return {"name": "dice", "kind": "dice"}

        def score(self, query, passages):
            return dict.fromkeys(passages, 1.0)

    with pytest.raises(SpecError, match="the scores of dice cannot be explained"):
        audit(Dice())


def test_bm25_needs_the_statistics_of_a_collection(tmp_path):
    with pytest.raises(SpecError, match="give bm25:INDEX"):
        open_retriever("bm25", device="cpu", threads=None)
    ranker = Bm25Ranker.fit(TEXTS)
    ranker.save(tmp_path / "index" / "bm25-3")
    found, notes = open_retriever(f"bm25:{tmp_path / 'index'}", device="cpu", threads=None)
    assert found.score(QUERY, TEXTS) == ranker.score(QUERY, TEXTS)
    assert notes == ()


def test_an_expansion_has_its_own_name_at_the_word_that_it_comes_from():
    parts = [
        Part("auto", 2.0, ((4, 7),), ((0, 4),), note=QUERY_EXPANSION),
        Part("car", 1.0, ((4, 7),), ((0, 4),)),
    ]

    class Toy:
        kind = "structural"

        def explain(self, query, passages):
            return {key: structural("toy", key, 3.0, parts) for key in passages}

    found = _Structural(Toy()).explain("red car", {"a": "cars"})["a"]
    assert [(one.text, one.start, one.value) for one in found.query.tokens] == [
        ("auto", 4, 2.0), ("car", 4, 1.0),
    ]  # fmt: skip
    assert [one.text for one in found.passage.tokens] == ["cars", "cars"]
