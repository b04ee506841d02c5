"""Keep the chatter of ``transformers`` out of our output while it loads something."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from huggingface_hub.utils.tqdm import are_progress_bars_disabled, enable_progress_bars
from transformers.utils import logging

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Errors only, and no bars for loading weights; bars for downloads stay, and all is put back."""
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    download_bars = not are_progress_bars_disabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()  # takes the download bars with it
    if download_bars:
        enable_progress_bars()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
