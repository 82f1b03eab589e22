"""Methods of several approaches, each a class of settings with keys and a run of its own: a union told apart by the key `approach`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self, get_args

from pydantic import model_validator

from uqmbd.errors import StudyError
from uqmbd.methods.base import Method


class ByApproach(Method):
    """Base of such methods. To make the method is to make settings of the approach that is named.

    The class of the method has the keys that all its approaches take. The class of an approach comes from it, says
    ``approach: Literal["name"]``, and has the other keys. `take`, once, names them all.

    Attributes
    ----------
    approaches : dict of str to type
        Classes of the approaches by name; only the class of the method itself has it in its own namespace.
    """

    approaches: ClassVar[Mapping[str, type[Self]]] = {}

    approach: str

    def __new__(cls, /, **values: Any) -> Self:
        return super().__new__(cls.named_in(values) if "approaches" in vars(cls) else cls)

    @classmethod
    def take(cls, *kinds: type[Self]) -> Mapping[str, type[Self]]:
        """Make these classes the approaches of this method; the same by name."""
        cls.approaches = {get_args(kind.model_fields["approach"].annotation)[0]: kind for kind in kinds}
        return cls.approaches

    @classmethod
    def named_in(cls, values: Mapping[str, Any]) -> type[Self]:
        """The class of the approach that `values` name."""
        if "approach" not in values:
            raise StudyError("the key 'approach' is missing", key="approach")
        if (name := values["approach"]) not in list(cls.approaches):
            *others, last = map(repr, cls.approaches)
            raise StudyError(f"input should be {', '.join(others)} or {last}", key="approach", value=name)
        return cls.approaches[name]

    @classmethod
    def own_keys(cls) -> list[str]:
        """Keys of this approach that not all approaches take."""
        method = next(kind for kind in cls.__mro__ if "approaches" in vars(kind))
        return [key for key in cls.model_fields if key not in method.model_fields]

    @model_validator(mode="wrap")
    @classmethod
    def _keys_belong(cls, values: Any, handler: Callable[[Any], Self]) -> Self:
        """Raise `StudyError` for a key of another approach, and for one that is missing."""
        if not isinstance(values, Mapping):
            return handler(values)
        if "approaches" in vars(cls):  # asked to validate, not made
            return cls(**values)
        name = values.get("approach")
        for key in values:
            able = [other for other, kind in cls.approaches.items() if key in kind.model_fields]
            if able and key not in cls.model_fields:
                has = f"{' and '.join(able)} {'has' if len(able) == 1 else 'have'} it"
                remedy = f"{name} takes {', '.join(cls.own_keys())}"
                raise StudyError(f"the approach {name} has no key '{key}'; {has}", key=key, value=values[key], remedy=remedy)
        for key in cls.own_keys():
            if (field := cls.model_fields[key]).is_required() and key not in values:
                remedy = f"write {key} = {field.examples[0]}, say" if field.examples else None
                raise StudyError(f"the approach {name} needs {key}", key=key, remedy=remedy)
        return handler(values)

    def own(self) -> dict[str, Any]:
        """The settings that not all approaches have, by key."""
        return {key: getattr(self, key) for key in self.own_keys()}
