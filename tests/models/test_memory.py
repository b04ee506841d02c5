import json
import struct

import pytest

from boresight.models.memory import available_memory, group_memory, weight_bytes


def test_weight_bytes_are_read_from_the_header_alone(tmp_path):
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "a": {"dtype": "BF16", "shape": [3, 5], "data_offsets": [0, 30]},
            "b": {"dtype": "F32", "shape": [], "data_offsets": [30, 34]},
        }
    ).encode()
    file = tmp_path / "model.safetensors"
    file.write_bytes(struct.pack("<Q", len(header)) + header)  # the data itself is not there
    assert weight_bytes(file, "float32") == 16 * 4
    assert weight_bytes(file, "bfloat16") == 16 * 2
    assert weight_bytes(file, "auto") == 15 * 2 + 4


def test_free_memory_is_a_sane_number_of_bytes():
    free = available_memory("cpu")
    assert free is None or 2**20 < free < 2**50


@pytest.mark.parametrize(
    ("files", "free"),
    [
        ({"memory.max": "1000\n", "memory.current": "900\n"}, 100),
        (
            {"memory.max": "1000", "memory.current": "900", "memory.stat": "anon 300\ninactive_file 500\n"},
            600,
        ),
        ({"memory.max": "1000", "memory.current": "1200"}, 0),
        ({"memory.max": "max\n", "memory.current": "900"}, None),
        ({}, None),
    ],
)
def test_a_groups_file_cache_counts_as_free(tmp_path, files, free):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert group_memory(tmp_path) == free
