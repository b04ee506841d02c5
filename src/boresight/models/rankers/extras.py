"""Libraries of the extra ``retrieval``, loaded on first use."""

from __future__ import annotations

import importlib
from typing import Any

from boresight.errors import SpecError


def library(module: str) -> Any:
    """Import a module of the extra.

    Raises:
        SpecError: If it is not installed; the message says how to install it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        package = module.partition(".")[0]
        raise SpecError(
            f"this needs {package}, which is not installed: pip install 'boresight[retrieval]'"
        ) from problem
