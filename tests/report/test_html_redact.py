"""A redacted report holds ids and numbers only."""

import numpy as np
import pytest

from boresight.report.html import write_report
from boresight.store.files import read_json, write_json
from helpers import write_jsonl
from html_runs import audit, random_table

SECRETS = {
    "query": "Zquery", "text": "Ztext", "title": "Ztitle", "answer": "Zanswer Zwords", "history": "Zhistory",
    "reference": "Zreference", "meta": "Zmeta", "key": "Zkey", "metadata": "Zmetadata", "failure": "Zfailure",
    "warning": "Zwarning", "hostile": "Zhostile", "slice": "Zslice",
}  # fmt: skip


@pytest.fixture
def run(tmp_path):
    line = {
        "id": "known-id",
        "query": SECRETS["query"],
        "history": [{"role": "user", "content": SECRETS["history"]}],
        "passages": [
            {
                "id": "pid", "text": SECRETS["text"], "title": SECRETS["title"], "score": 1,
                "metadata": {"a": SECRETS["metadata"]},
            },
            {"id": "qid", "text": SECRETS["text"], "score": 0.5},
        ],
        "answer": SECRETS["answer"],
        "answers": [SECRETS["reference"]],
        "meta": {SECRETS["key"]: SECRETS["meta"]},
    }  # fmt: skip
    table = random_table(["pid", "qid"], 2, np.random.default_rng(0), SECRETS["answer"])
    run = audit(tmp_path, [line], {"*": table}, spans=("Zwords",))
    record = read_json(run / "run.json")
    record["warnings"] = [SECRETS["warning"]]
    record["failures"] = {"other": SECRETS["failure"]}
    write_json(run / "run.json", record)
    summary = read_json(run / "summary.json")
    summary["slices"] = {f"meta.{SECRETS['key']}": {SECRETS["slice"]: {"traces": 1, "measures": {}}}}
    write_json(run / "summary.json", summary)
    finding = {"trace": "known-id", "passages": ["pid"], "score": 1.0, "evidence": {}, "remedy": "none"}
    write_jsonl(
        run / "findings.jsonl",
        [
            {"kind": "hostile_passage", "sentence": SECRETS["hostile"], **finding},
            {"kind": "harmful_passage", "sentence": "Passage pid takes 1.20 nats.", **finding},
        ],
    )
    return run


def test_a_full_report_holds_the_texts_and_says_so_first(run, tmp_path):
    page = write_report(run, tmp_path / "full.html").read_text()
    assert page.splitlines()[0].startswith("<!-- This file contains the texts of the traces")
    for name in ("query", "text", "title", "history", "reference", "meta"):
        assert SECRETS[name] in page


def test_a_redacted_report_holds_none_of_the_texts_and_says_so_first(run, tmp_path):
    page = write_report(run, tmp_path / "redacted.html", redact=True).read_text()
    assert page.splitlines()[0].startswith("<!-- This file contains ids and numbers only")
    for secret in [*SECRETS.values(), "Zwords", "Zanswer"]:
        assert secret not in page


def test_a_redacted_report_keeps_ids_numbers_and_sentences_about_them(run, tmp_path):
    page = write_report(run, tmp_path / "redacted.html", redact=True).read_text()
    for kept in ("known-id", '"pid"', "Passage pid takes 1.20 nats.", '"attr":'):
        assert kept in page
