"""Functions with some of their arguments given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, update_wrapper
from typing import Any


def bound(function: Callable[..., Any], given: Mapping[str, Any]) -> Callable[..., Any]:
    """A function with further arguments, which says of itself what that one does."""
    return update_wrapper(partial(function, **given), function) if given else function
