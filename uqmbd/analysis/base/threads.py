"""Linear algebra with one thread, for work made of very many small products."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@cache
def _libraries():
    """The linear algebra that numpy, scipy and scikit-learn have loaded."""
    import scipy.linalg  # noqa: F401
    import sklearn.linear_model  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_thread(work: Callable[P, R]) -> Callable[P, R]:
    """`work` with one thread of linear algebra. In small products several wait for each other, up to ten times as long as they work."""

    @wraps(work)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        with _libraries().limit(limits=1, user_api="blas"):
            return work(*args, **kwargs)

    return wrapped
