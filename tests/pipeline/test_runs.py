import ir_measures
import pytest
from ir_measures import AP, RR, R, nDCG

from boresight.errors import InputError, SpecError
from boresight.pipeline.queries import read_judgements, read_queries
from boresight.pipeline.retrieve import best_documents
from boresight.pipeline.run_file import measure_run, write_run
from helpers import write_jsonl

RUN = {"q1": {"a": 3.0, "b": 2.5, "c": 0.1}, "q2": {"b": 1.0}}
JUDGED = {"q1": {"b": 1, "z": 2}, "q2": {"b": 1}, "q3": {"a": 1}}


@pytest.fixture
def run_file(tmp_path):
    path = tmp_path / "out" / "run.trec"
    assert write_run(path, RUN.items(), "my run") == 4
    return path


def test_a_run_holds_every_score_in_full_and_ranks_from_1(run_file):
    assert run_file.read_text().splitlines() == [
        "q1 Q0 a 1 3.0 my_run",
        "q1 Q0 b 2 2.5 my_run",
        "q1 Q0 c 3 0.1 my_run",
        "q2 Q0 b 1 1.0 my_run",
    ]


def test_an_id_with_white_space_is_refused_and_the_old_run_stays(run_file):
    before = run_file.read_text()
    with pytest.raises(InputError, match="the id 'b c' has white space"):
        write_run(run_file, [("q", {"b c": 1.0})], "x")
    assert run_file.read_text() == before
    assert len(list(run_file.parent.iterdir())) == 1


def test_the_measures_are_those_of_ir_measures_on_the_written_run(run_file):
    names = ("nDCG@10", "AP", "RR", "R@100")
    found = {one.name: one.value for one in measure_run(run_file, JUDGED, names)}
    theirs = ir_measures.calc_aggregate(
        [nDCG @ 10, AP, RR, R @ 100], JUDGED, ir_measures.read_trec_run(str(run_file))
    )
    assert found == {str(measure): value for measure, value in theirs.items()}


def test_a_judged_query_without_a_result_counts_0(run_file):
    """RR is 1/2 for q1, 1 for q2, 0 for q3."""
    (one,) = measure_run(run_file, JUDGED, ("RR",))
    assert one.value == pytest.approx(0.5)
    assert one.queries == 3
    assert one.low < 0.5 < one.high


def test_one_query_has_no_interval(run_file):
    (one,) = measure_run(run_file, {"q2": {"b": 1}}, ("RR",))
    assert (one.value, one.low, one.high) == (1.0, None, None)


def test_an_unknown_measure_is_refused(run_file):
    for name in ("bogus@3", "nDCG@", "1+1"):
        with pytest.raises(SpecError, match="knows no measure"):
            measure_run(run_file, JUDGED, (name,))


def test_queries_are_read_from_beir_topics_and_tabs(tmp_path):
    beir = write_jsonl(tmp_path / "queries.jsonl", [{"_id": "1", "text": "one"}, {"_id": "2", "text": "two"}])
    (tmp_path / "topics.tsv").write_text("1\tone\n2\ttwo\n")
    (tmp_path / "topics.txt").write_text(
        "<top><num> Number: 1 <title> one\n</top>\n<top><num> Number: 2 <title> two\n</top>\n"
    )
    expected = {"1": "one", "2": "two"}
    for path in (beir, tmp_path, tmp_path / "topics.tsv", tmp_path / "topics.txt"):
        assert read_queries(path) == expected


def test_a_repeated_query_and_a_file_without_one_are_refused(tmp_path):
    twice = write_jsonl(tmp_path / "queries.jsonl", [{"_id": "1", "text": "one"}] * 2)
    with pytest.raises(InputError, match="line 2: the query id '1' stands there twice"):
        read_queries(twice)
    (tmp_path / "empty.tsv").write_text("")
    with pytest.raises(InputError, match="holds no query"):
        read_queries(tmp_path / "empty.tsv")
    with pytest.raises(InputError, match="does not exist"):
        read_queries(tmp_path / "absent")


def test_judgements_are_read_from_beir_and_trec(tmp_path):
    (tmp_path / "beir.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\t0\n")
    (tmp_path / "trec.txt").write_text("1 0 a 2\n1 0 b 0\n")
    for name in ("beir.tsv", "trec.txt"):
        assert read_judgements(tmp_path / name) == {"1": {"a": 2, "b": 0}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("query-id\tcorpus-id\tscore\n1\ta\n", "line 2: judgements have three columns"),
        ("query-id\tcorpus-id\tscore\n1\ta\t1\n1\ta\t2\n", "line 3: the grade of 'a' for '1' contradicts"),
        ("query-id\tcorpus-id\tscore\n1\ta\t0.5\n", "must be whole numbers"),
        ("query-id\tcorpus-id\tscore\n", "holds no judgement"),
    ],
)
def test_malformed_judgements_are_refused_by_line(tmp_path, text, words):
    (tmp_path / "qrels.tsv").write_text(text)
    with pytest.raises(InputError, match=words):
        read_judgements(tmp_path / "qrels.tsv")


def test_documents_are_ranked_by_their_best_passage_however_deep_the_second_one_is():
    class Store:
        def document_of(self, passage):
            return passage[0]

    class Search:
        name = "fixed"

        def search(self, query, k):
            scores = {"a1": 9.0, "a2": 8.0, "a3": 7.0, "b1": 6.0, "c1": 5.0}
            return dict(list(scores.items())[:k])

    class Index:
        store = Store()

    assert best_documents(Index(), Search(), "q", 2) == {"a": 9.0, "b": 6.0}
    assert best_documents(Index(), Search(), "q", 9) == {"a": 9.0, "b": 6.0, "c": 5.0}
