"""The one place where every exception of somebody else's code is caught.

Model files and chat templates come from strangers, and the libraries that read them raise whatever their
authors did not think of: a damaged header is a MemoryError, a zero in a configuration a ZeroDivisionError. A
person wants one sentence in each case, so a list of exception types would always be one short.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from boresight.errors import BoresightError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def foreign_code(explain: Callable[[Exception], BoresightError]) -> Iterator[None]:
    """Run code of others; what it raises becomes an error of ours.

    Args:
        explain: Makes the error from the exception; our own errors pass through unchanged.
    """
    try:
        yield
    except BoresightError:
        raise
    except Exception as problem:
        raise explain(problem) from problem


def reason(problem: BaseException) -> str:
    """What an exception says, on one line, with its type where the words alone mean nothing."""
    words = " ".join(line.strip() for line in str(problem).splitlines() if line.strip())
    words = words if len(words) <= _LONGEST else words[:_LONGEST].rsplit(" ", 1)[0] + " ..."
    if isinstance(problem, KeyError):
        return f"{words or 'a name'} is missing or unknown to this release of transformers"
    if isinstance(problem, OSError | ValueError | ImportError) and words:
        return words.rstrip(".")
    return f"{type(problem).__name__}: {words.rstrip('.')}" if words else type(problem).__name__


_LONGEST = 300  # characters; some libraries print whole pages
