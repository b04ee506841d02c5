import pytest
import torch

from boresight.errors import ModelError, SpecError
from boresight.models.device import single_device


def test_a_device_that_is_there_is_taken():
    assert single_device("cpu") == "cpu"


@pytest.mark.parametrize("asked", [None, "auto"])
@pytest.mark.parametrize(("there", "taken"), [(True, "cuda"), (False, "cpu")])
def test_automatic_takes_cuda_if_there_is_one(monkeypatch, asked, there, taken):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)
    assert single_device(asked) == taken


def test_an_unknown_device_lists_the_known():
    with pytest.raises(SpecError, match="'gpu'; give cpu, cuda"):
        single_device("gpu")


def test_an_absent_device_is_said():
    with pytest.raises(ModelError, match="no device 'cuda:99'; use cpu"):
        single_device("cuda:99")
