"""The whole way on a real collection with graded judgements."""

import ir_measures
import pytest
from ir_measures import AP, RR, R, nDCG

from boresight.pipeline.build import build_index
from boresight.pipeline.index import Index, IndexSettings
from boresight.pipeline.queries import read_judgements, read_queries
from boresight.pipeline.retrieve import retrieve_run
from boresight.pipeline.run_file import measure_run

WANTED = (nDCG @ 10, AP, RR, R @ 10, R @ 100)


@pytest.fixture(scope="module")
def cranfield(shared_data, tmp_path_factory):
    out = tmp_path_factory.mktemp("cranfield") / "index"
    build_index(shared_data / "cranfield", out, IndexSettings())
    with Index(out) as index:
        yield index


def test_the_measures_equal_ir_measures_on_the_written_run(cranfield, shared_data, tmp_path):
    run = tmp_path / "bm25.trec"
    queries = read_queries(shared_data / "cranfield")
    retrieve_run(cranfield, cranfield.lexical(), queries, run, k=100)
    judged = read_judgements(shared_data / "cranfield" / "qrels" / "test.tsv")
    found = {one.name: one.value for one in measure_run(run, judged)}
    rows = (shared_data / "cranfield" / "qrels" / "test.tsv").read_text().splitlines()[1:]
    qrels = [ir_measures.Qrel(query, passage, int(grade)) for query, passage, grade in map(str.split, rows)]
    theirs = ir_measures.calc_aggregate(WANTED, qrels, ir_measures.read_trec_run(str(run)))
    assert found == {str(measure): value for measure, value in theirs.items()}
    assert found["nDCG@10"] > 0.3


def test_the_parts_of_bm25_sum_to_every_score_of_the_run(cranfield, shared_data):
    lexical = cranfield.lexical()
    texts = dict(cranfield.store.texts())
    for query in read_queries(shared_data / "cranfield").values():
        for passage, score in lexical.search(query, 10).items():
            parts = lexical.parts(query, texts[passage])
            assert sum(part.value for part in parts) == pytest.approx(score, abs=1e-5)


def test_every_document_is_a_passage_of_its_own_id_even_the_two_without_text(cranfield):
    assert len(cranfield) == 1400
    assert [key for key, text in cranfield.store.texts() if not text] == ["471", "995"]
