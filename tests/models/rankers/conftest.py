"""A small collection, and one torch thread."""

import pytest
import torch


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture
def collection():
    return {
        "p1": "river river bridge",
        "p2": "river town",
        "p3": "bridge of a small town, and another town",
        "p4": "",
    }
