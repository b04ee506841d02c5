"""Why a model did not load, in one sentence with the way out."""

from __future__ import annotations

import json
import pickle

from boresight.models.foreign import reason

_GATED = "is gated: accept its terms on its page on the hub, then log in with `hf auth login`"
_NO_REVISION = "has no such revision on the hub; give a branch, tag or commit of it"
_UNKNOWN = "is unknown to the hub, or private; check the name, or log in with `hf auth login`"
_OFFLINE = "is not on this machine and the hub cannot be reached; go online once, or give a folder"
_REMOTE_CODE = "needs code of its own (remote code), which Boresight never runs; choose another model"


def explain(error: BaseException, source: str) -> str:
    """One sentence about why a model did not load.

    Args:
        error: What the library raised.
        source: The model, as the sentence's subject.
    """
    known = _from_hub(error) or _from_text(str(error))
    return f"{source} {known or 'cannot be loaded: ' + _fault(error)}"


def _from_hub(error: BaseException) -> str | None:
    """What the hub refused."""
    from huggingface_hub import errors as hub

    sentences = (
        (hub.GatedRepoError, _GATED),  # first, as a kind of the third
        (hub.RevisionNotFoundError, _NO_REVISION),
        (hub.RepositoryNotFoundError, _UNKNOWN),
        ((hub.LocalEntryNotFoundError, hub.OfflineModeIsEnabled, ConnectionError), _OFFLINE),
    )
    causes = _causes(error)
    return next(
        (words for kinds, words in sentences if any(isinstance(cause, kinds) for cause in causes)), None
    )


def _from_text(text: str) -> str | None:
    """What libraries say in words only."""
    if "trust_remote_code" in text:
        return _REMOTE_CODE
    if "couldn't connect" in text:
        return _OFFLINE
    if "ignore_mismatched_sizes" in text:
        return "cannot be loaded: its config.json does not fit its weights; fetch the whole checkpoint"
    return None


def _fault(error: BaseException) -> str:
    """What is wrong with the files themselves."""
    if isinstance(error, pickle.UnpicklingError):
        return (
            "its weights are a pickle that holds more than tensors, and code in weights is never run; "
            "choose a checkpoint with safetensors"
        )
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return f"one of its text files is damaged ({reason(error)}); fetch it again"
    return reason(error)


def _causes(error: BaseException) -> list[BaseException]:
    """An error and what it came from."""
    causes: list[BaseException] = []
    step: BaseException | None = error
    while step is not None and step not in causes:
        causes.append(step)
        step = step.__cause__ or step.__context__
    return causes
