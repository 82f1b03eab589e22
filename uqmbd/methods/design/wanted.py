"""What a study wants of its tolerances, as it is written: what they cost, and limits of outputs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema, model_validator

from uqmbd.analysis.search.allocation import Cost, Exponential, Reciprocal, Tabulated
from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.inputs.checked import Checked, Number
from uqmbd.inputs.quantity import Level, Quantity, in_unit, level
from uqmbd.inputs.units import to_si
from uqmbd.methods.design.measures import Measure, What, level_of, share_of_index
from uqmbd.outcomes import OutputInfo

LIMIT = re.compile(r"\s*(?P<width>width\s*)?(?P<sign><=|>=)\s*(?P<level>[^()]+?)\s*")
CHANCE = re.compile(r"\s*P\(\s*(?P<sign><|>)\s*(?P<level>[^()<>=]+?)\s*\)\s*<=\s*(?P<share>[^()]+?)\s*")
LEAST_SHARE = 1e-3  # of a limit on a probability: a smaller one has too few points of the scatter beyond it
INDEX = re.compile(r"\s*beta\(\s*(?P<sign><|>)\s*(?P<level>[^()<>=]+?)\s*\)\s*>=\s*(?P<beta>[^()]+?)\s*")
MEASURED = re.compile(r"\s*(?P<measure>(?:mean|std|[0-9]|quantile|worst)[^<>=()]*?)\s*(?P<sign><=|>=)\s*(?P<level>[^()<>=]+?)\s*")
FREE = Exponential(0.0, 1.0)  # of an input that no cost is given of
WRITTEN = (
    'write "<= 18 kN", ">= 2 mm", "width <= 0.1 mm", "P(> 18 kN) <= 0.01" or "beta(> 18 kN) >= 3"; '
    'of a design also "mean + 3 std <= 18 kN", "quantile 0.99 <= 18 kN" or "worst <= 18 kN"'
)


class CostOf(Checked):
    """What a tolerance costs: one of ``reciprocal``, ``exponential`` and ``table``."""

    reciprocal: Number | None = Field(default=None, gt=0)  # the cost of the tolerance `at`
    at: Level = None  # the half width of the interval where nothing is said
    exponential: Number | None = Field(default=None, gt=0)
    per: Level = None
    table: tuple[tuple[Level, Number], ...] | None = None  # tolerances that rise, and what they cost
    smallest: Level = None

    @model_validator(mode="before")
    @classmethod
    def _tuples(cls, values: Any) -> Any:
        """Lists, as files have them, as tuples."""
        if not isinstance(values, Mapping) or not isinstance(values.get("table"), (list, tuple)):
            return values
        return {**values, "table": tuple(tuple(row) if isinstance(row, list) else row for row in values["table"])}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        kinds = [key for key in ("reciprocal", "exponential", "table") if getattr(self, key) is not None]
        if len(kinds) != 1:
            raise ValueError("a cost is one of reciprocal = 4.0, exponential = 4.0 with per, and table = [[tolerance, cost], ...]")
        if (self.exponential is None) != (self.per is None):
            raise ValueError('an exponential cost falls by the factor e per tolerance: give exponential = 4.0 and per = "0.01 mm"')
        if self.at is not None and self.reciprocal is None:
            raise ValueError("at is the tolerance that costs what reciprocal says")
        if self.table is not None and (len(self.table) < 2 or any(b[1] > a[1] for a, b in zip(self.table, self.table[1:], strict=False))):
            raise ValueError("a table has two or more pairs of a tolerance and its cost, which falls as tolerances rise")
        return self

    def numbers(self, name: str, item: Input) -> dict[str, Any]:
        """Tolerances that are written here, in SI; `item` is the input in SI, which is called `name`."""

        def number(value: Any, key: str) -> float:
            found = of_input(value, item, name, f"method.costs.{name}.{key}", difference=True)
            if not found > 0:
                raise StudyError("a tolerance is above 0", key=f"method.costs.{name}.{key}", value=found, remedy="give a distance")
            return found

        found: dict[str, Any] = {key: number(v, key) for key in ("at", "per", "smallest") if (v := getattr(self, key)) is not None}
        if self.table is not None:
            found["table"] = tuple(number(t, "table") for t, _ in self.table)
            if any(b <= a for a, b in zip(found["table"], found["table"][1:], strict=False)):
                raise StudyError("tolerances of a table rise", key=f"method.costs.{name}.table", remedy="write the smallest first")
            found.setdefault("smallest", found["table"][0])  # below it the table says nothing
        return found

    def made(self, name: str, item: Input, half: float) -> Cost:
        """As a function of the tolerance in the unit of the input; `half` is its largest."""
        numbers = self.numbers(name, item)
        if self.reciprocal is not None:
            return Reciprocal(self.reciprocal, numbers.get("at", half))
        if self.exponential is not None:
            return Exponential(self.exponential, numbers["per"])
        return Tabulated(numbers["table"], tuple(cost for _, cost in self.table or ()))


@dataclass(frozen=True)
class Wanted:
    """A limit of one output, as it was written."""

    output: str
    what: What
    upper: bool
    level: float  # or a `Quantity`
    text: str
    share: float = 0.0  # of a limit on a probability, or of what lies beyond a quantile: the largest
    measure: Measure | None = None  # where there is one of its own

    @classmethod
    def read(cls, output: str, text: str) -> Wanted:
        """From ``"<= 18 kN"``; raises `ValueError`."""
        written = " ".join(text.split())
        if (chance := CHANCE.fullmatch(text)) is not None:
            try:
                share = float(chance["share"])
            except ValueError:
                share = np.nan
            if not 0 < share < 0.5:
                raise ValueError(f"the largest probability of a limit is from 0 to 0.5, not {chance['share']!r}")
            return cls(output, "probability", chance["sign"] == ">", level_of(chance["level"]), written, share)
        if (index := INDEX.fullmatch(text)) is not None:
            share = share_of_index(index["beta"])
            return cls(output, "probability", index["sign"] == ">", level_of(index["level"]), written, share)
        if (measured := MEASURED.fullmatch(text)) is not None:
            return cls._measured(output, measured, written)
        match = LIMIT.fullmatch(text)
        if match is None or (match["width"] and match["sign"] == ">="):
            raise ValueError(f"a limit is a text; {WRITTEN}, not {text!r}")
        return cls(output, "width" if match["width"] else "end", match["sign"] == "<=", level_of(match["level"]), written)

    @classmethod
    def _measured(cls, output: str, match: re.Match[str], written: str) -> Wanted:
        """From ``"mean + 3 std <= 18 kN"``, ``"quantile 0.99 <= 18 kN"`` or ``"worst <= 18 kN"``; raises `ValueError`."""
        measure, upper = Measure.read(match["measure"]), match["sign"] == "<="
        if measure.what == "quantile" and measure.upper != upper:
            raise ValueError("a quantile above 0.5 has a limit <=, and one below 0.5 a limit >=: it bounds the rarer values")
        return cls(output, measure.what, upper, level_of(match["level"]), written, measure.share, measure)

    def in_unit(self, info: OutputInfo, key: str = "") -> float:
        """The level in the unit of the output; `key` is where it is written, if that is not among the limits."""
        key = key or f"method.limits.{self.output}"
        return in_unit(self.level, info.unit, of=self.output, key=key, difference=self.what == "width" or self.of_spread)

    @property
    def of_spread(self) -> bool:
        """Whether it limits a standard deviation alone, whose unit has no offset."""
        return self.measure is not None and self.what == "spread" and self.measure.mean == 0.0


def of_input(value: Any, item: Input, name: str, key: str, *, difference: bool = False) -> float:
    """A number for the input `item`, called `name`, in SI: a plain one is in the unit in which the input was written."""
    if isinstance(value, Quantity):
        return in_unit(value, item.unit, of=name, key=key, difference=difference)
    return to_si((item.written or item).unit).number(float(value), difference=difference)


def moves_wanted(value: Any) -> dict[str, tuple[Any, Any]]:
    """Ranges by input."""
    if not isinstance(value, Mapping):
        raise ValueError("move is a table by input: move = { play = [0.02, 0.05] }")
    made = {}
    for name, ends in value.items():
        if not isinstance(ends, (list, tuple)) or len(ends) != 2 or any(isinstance(end, bool) or end is None for end in ends):
            raise StudyError("a range is a list of two numbers", key=f"move.{name}", value=ends, remedy="write [lower, upper]")
        made[str(name)] = (level(ends[0]), level(ends[1]))
    return made


def costs_wanted(value: Any) -> dict[str, CostOf]:
    """Costs by input."""
    if not isinstance(value, Mapping):
        raise ValueError("costs are a table by input: costs.play = { reciprocal = 4.0 }")
    made = {}
    for name, cost in value.items():
        if isinstance(cost, CostOf):
            made[str(name)] = cost
            continue
        if not isinstance(cost, Mapping):
            raise StudyError("a cost is a table", key=f"costs.{name}", value=cost, remedy="write { reciprocal = 4.0 }, say")
        try:
            made[str(name)] = CostOf(**cost)
        except StudyError as error:
            key = f"costs.{name}.{error.key}" if error.key else f"costs.{name}"
            raise StudyError(error.message, key=key, value=error.value, remedy=error.remedy) from None
    return made


def limits_wanted(value: Any) -> dict[str, tuple[str, ...]]:
    """Limits by output, one or several of each."""
    if not isinstance(value, Mapping):
        raise ValueError('limits are a table by output: limits = { "B.force:max" = "<= 18 kN" }')
    made: dict[str, tuple[str, ...]] = {}
    for name, texts in value.items():
        several = (texts,) if isinstance(texts, str) else tuple(texts) if isinstance(texts, (list, tuple)) else ()
        if not several or not all(isinstance(text, str) for text in several):
            raise StudyError("a limit is a text, or a list of them", key=f"limits.{name}", value=texts, remedy=WRITTEN)
        for text in several:
            try:
                Wanted.read(str(name), text)
            except ValueError as error:
                raise StudyError(str(error), key=f"limits.{name}") from None
        made[str(name)] = several
    return made


def _ranges(moves: Mapping[str, tuple[Any, Any]]) -> dict[str, Any]:
    return {name: [end.written if isinstance(end, Quantity) else end for end in ends] for name, ends in moves.items()}


def _written(costs: Mapping[str, CostOf]) -> dict[str, Any]:
    return {name: cost.model_dump(exclude_none=True) for name, cost in costs.items()}


_LEVEL = {"type": ["number", "string"]}
_COST = {
    "type": "object", "additionalProperties": False,
    "properties": {
        "reciprocal": {"type": "number"}, "at": _LEVEL, "exponential": {"type": "number"}, "per": _LEVEL, "smallest": _LEVEL,
        "table": {"type": "array", "items": {"type": "array", "items": _LEVEL, "minItems": 2, "maxItems": 2}},
    },
}  # fmt: skip
_LIMIT = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}
Costs = Annotated[
    Any,
    BeforeValidator(costs_wanted),
    PlainSerializer(_written),
    WithJsonSchema({"type": "object", "additionalProperties": _COST}),
]
Limits = Annotated[Any, BeforeValidator(limits_wanted), WithJsonSchema({"type": "object", "additionalProperties": _LIMIT})]
_RANGE = {"type": "array", "items": _LEVEL, "minItems": 2, "maxItems": 2}
Moves = Annotated[
    Any,
    BeforeValidator(moves_wanted),
    PlainSerializer(_ranges),
    WithJsonSchema({"type": "object", "additionalProperties": _RANGE}),
]
