"""Names of inputs, which are keyword arguments of a Python function."""

from __future__ import annotations

import unicodedata


def identifier(name: str) -> str:
    """The name as Python reads it in a function's parameters (NFKC): ``µ``, the sign on keyboards, is the Greek letter ``μ`` there.

    What is no identifier is left as it is.
    """
    return unicodedata.normalize("NFKC", name) if name.isidentifier() else name
