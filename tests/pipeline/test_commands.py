import json

import pytest

from helpers import additive_table, write_jsonl

WEIGHTS = {"a": 0.1, "b": 0.2, "c": 2.0, "d": -0.5, "e": 0.0}


@pytest.fixture
def made(corpus, tmp_path, boresight):
    code, _, _ = boresight("index", corpus, "--out", tmp_path / "index", "--encoder", "none")
    assert code == 0
    return tmp_path / "index"


@pytest.fixture
def fake(tmp_path):
    path = tmp_path / "fake.json"
    path.write_text(json.dumps({"*": additive_table(WEIGHTS, answer="in water")}))
    return f"fake:{path}"


def test_index_says_what_it_holds_and_what_it_added(made, corpus, boresight):
    code, out, _ = boresight("index", corpus, "--out", made)
    assert (code, out.splitlines()) == (
        0,
        ["5 passages of 5 documents: 0 documents added, 5 already there", f"index: {made}"],
    )


def test_index_ends_with_a_json_line(corpus, tmp_path, boresight):
    _, out, _ = boresight("index", corpus, "--out", tmp_path / "new", "--encoder", "none", "--json")
    assert json.loads(out) == {
        "out": str(tmp_path / "new"), "documents": 5, "passages": 5, "added": 5, "known": 0, "empty": 0,
        "skipped": {}, "truncated": 0,
    }  # fmt: skip


def test_retrieve_writes_a_run_and_prints_its_measures(made, tmp_path, boresight):
    asked = [{"_id": "1", "text": "bell"}, {"_id": "2", "text": "lamp"}]
    queries, run = write_jsonl(tmp_path / "queries.jsonl", asked), tmp_path / "run.trec"
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\tc\t1\n2\ta\t1\n")
    arguments = ("retrieve", made, queries, "--run-file", run, "--qrels", tmp_path / "qrels.tsv")
    code, out, _ = boresight(*arguments, "--measures", "RR,R@10")
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()[2:]] == [["RR", "0.5000"], ["R@10", "0.5000"]]
    _, out, _ = boresight(*arguments, "--json")
    assert json.loads(out)["measures"]["RR"]["value"] == 0.5
    assert [line.split()[2] for line in run.read_text().splitlines()] == ["c", "b"]


def test_ask_shows_the_retrievers_side_then_the_generators(made, fake, tmp_path, boresight):
    code, out, _ = boresight("ask", made, "water bell", "-g", fake, "--top", 2, "--out", tmp_path / "run")
    assert code == 0
    assert out.index("the way of 2 passages") < out.index("answer: in water") < out.index("run directory")
    assert (tmp_path / "run" / "summary.json").is_file()


def test_ask_in_json_holds_trace_answer_attributions_and_ablations(made, fake, boresight):
    arguments = ("--top", 2, "--reference", "water", "--ablate", "--json")
    code, out, _ = boresight("ask", made, "water bell", "-g", fake, *arguments)
    found = json.loads(out)
    assert (code, found["out"], found["answer"]) == (0, None, "in water")
    assert found["attributions"] == pytest.approx({"c": 3.0, "d": -0.75}, abs=1e-5)
    assert [stage["cut"] for stage in found["trace"]["stages"]] == [2, None]
    assert "recut@bm25=1" in [one["change"] for one in found["ablations"]]


def test_ask_explains_what_the_retriever_looks_at(made, fake, boresight):
    arguments = ("ask", made, "water bell", "-g", fake, "--top", 1, "--explain", "retriever,removals")
    code, out, _ = boresight(*arguments)
    assert code == 0
    assert "bm25 looks at: " in out
    assert "d reaches the first place without " in out
    found = json.loads(boresight(*arguments, "--json")[1])
    assert {row["token"] for row in found["saliency"] if row["side"] == "query"} == {0, 1}
    assert {one["passage"] for one in found["removals"]["passages"]} == {"c", "d"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--ranker", "dense"), "has no vectors; index with --encoder"),
        (("--ranker", "bm26"), "names no ranker: give dense:MODEL"),
        (("--top", "60"), "must not be above depth"),
    ],
)
def test_ask_refuses_in_one_sentence(made, fake, boresight, arguments, words):
    code, _, err = boresight("ask", made, "water", "-g", fake, *arguments)
    assert code == 2
    assert words in err
    assert err.count("\n") == 1


def test_a_folder_that_is_no_index_is_refused(tmp_path, fake, boresight):
    code, _, err = boresight("ask", tmp_path, "water", "-g", fake)
    assert (code, "holds no index; make one with `boresight index" in err) == (2, True)
