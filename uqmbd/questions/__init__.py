"""Questions: what is asked of a surrogate besides its bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uqmbd.questions.base import Answer
    from uqmbd.surrogates.base import Runs

NAMES = ("bounds", "indices", "width")  # of `[method] questions`; bounds there are always


def asked(name: str) -> Callable[[Runs], Answer]:
    """The function of a question, imported only now."""
    from uqmbd.questions.indices import indices
    from uqmbd.questions.width import width

    return {"indices": indices, "width": width}[name]
