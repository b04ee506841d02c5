import pytest
from huggingface_hub.utils.tqdm import are_progress_bars_disabled
from transformers.utils import logging

from boresight.models.quiet import quiet_transformers


def state():
    return logging.get_verbosity(), logging.is_progress_bar_enabled(), are_progress_bars_disabled()


def test_only_errors_and_download_bars_are_left_inside():
    with quiet_transformers():
        assert state() == (logging.ERROR, False, False)


def fail_inside():
    with quiet_transformers():
        raise RuntimeError


def test_everything_is_put_back_even_after_an_error():
    before = state()
    with pytest.raises(RuntimeError):
        fail_inside()
    assert state() == before
