import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from boresight.errors import SpecError
from boresight.pipeline.index import Index
from pipeline_toys import WORDS, ToyEncoder

HERE = Path(__file__).parent
POINTS = 8


def run(source, out, event):
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, HERE / "interrupted_index.py", source, out, str(event)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def contents(folder):
    """Everything that a search can see."""
    with Index(folder, ToyEncoder()) as index:
        texts = dict(index.store.texts())
        searches = [
            dict(searcher.search(word, 50)) for searcher in (index.lexical(), index.dense()) for word in WORDS
        ]
        return texts, searches, [index.passage(key) for key in texts]


def test_a_killed_run_leaves_an_index_that_the_same_command_finishes(tmp_path):
    """Killed at disk events spread over the whole work: the finished index is the same to every search."""
    source = tmp_path / "texts"
    source.mkdir()
    for number, word in enumerate(WORDS):
        (source / f"{number}.txt").write_text(
            f"The {word} of text {number} is old. Nobody knows how old it is."
        )
    whole = run(source, tmp_path / "whole", -1)
    expected, events = contents(tmp_path / "whole"), int(whole.stdout)
    for event in range(1, events, events // POINTS):
        out = tmp_path / f"killed-{event}"
        assert run(source, out, event).returncode == -signal.SIGKILL
        assert run(source, out, -1).returncode == 0
        assert contents(out) == expected, f"killed at event {event} of {events}"
        assert not list(out.glob("**/.writing-*"))


def test_an_unfinished_index_is_not_searched(tmp_path, index, corpus):
    (index.folder / "dense" / "000000.faiss").unlink()
    with pytest.raises(SpecError, match="not finished; give its `boresight index` command again"):
        Index(index.folder, ToyEncoder())
