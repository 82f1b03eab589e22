"""Methods of several approaches, each with keys and a run of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Self

from pydantic import model_validator

from uqmbd.errors import StudyError
from uqmbd.methods.base import Method


@dataclass(frozen=True)
class Approach:
    """One approach.

    Attributes
    ----------
    home : str
        ``module:class`` of its run, below `uqmbd.methods`.
    defaults : dict
        Its keys with their values where nothing is said; None: must be given.
    kind : str
        Kind of input it takes; "" where the method says it for all.
    """

    home: str
    defaults: Mapping[str, Any]
    kind: str = ""

    def open(self) -> type:
        """The class of its run, imported only now."""
        module, _, name = self.home.partition(":")
        return getattr(import_module(f"uqmbd.methods.{module}"), name)


class ByApproach(Method):
    """Base of such methods, which have a field `approach`, and fields that are None where nothing is said.

    Attributes
    ----------
    approaches : dict of str to Approach
    shared : frozenset of str
        Keys that every approach takes.
    """

    approaches: ClassVar[Mapping[str, Approach]]
    shared: ClassVar[frozenset[str]] = frozenset({"approach", "max_failed"})

    approach: str

    @model_validator(mode="after")
    def _keys_belong(self) -> Self:
        """Raise `StudyError` for a key of another approach."""
        known = self.approaches[self.approach].defaults
        for key, value in self.model_dump(exclude=self.shared, exclude_none=True).items():
            if key not in known:
                able = [name for name, approach in self.approaches.items() if key in approach.defaults]
                raise StudyError(
                    f"the approach {self.approach} has no key '{key}'; {' and '.join(able)} {'has' if len(able) == 1 else 'have'} it",
                    key=key,
                    value=value,
                    remedy=f"{self.approach} takes {', '.join(known)}",
                )
        return self

    def of(self, key: str) -> Any:
        """The value of `key`, or what it is where nothing is said."""
        value = getattr(self, key)
        return self.approaches[self.approach].defaults.get(key) if value is None else value

    def run_class(self) -> type:
        """The class of the run of this approach."""
        return self.approaches[self.approach].open()
