"""Memory of the tree engine under a vocabulary of 49,152, each case in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("memory_of_the_tree.py")
pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")


def mib(*arguments):
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    found = subprocess.run(
        command, check=True, capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    return [int(number) for number in found.stdout.split()]


def test_ten_passages_and_a_long_answer_stay_far_below_a_gibibyte_and_a_half():
    peak, _ = mib(10, 1, 4)
    assert peak < 1024


def test_memory_is_flat_over_a_hundred_traces():
    _, growth = mib(2, 100, 1)
    assert growth < 64
