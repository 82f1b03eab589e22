"""The language of derived outputs: numbers, outputs by name, ``+ - * / **`` and a few functions, point by point.

``hypot(tip.x - ideal.x, tip.y - ideal.y)``. A name is written as outputs have it, ``B.force:max``; one with a window or with signs of its
own in it stands between quotes, ``'B.force:max@0.1..0.3'``, and so does a number with its unit, ``'0.1 mm'``, which becomes SI. Python's
parser reads it, and what is not in the tables here is refused: nothing of it is ever run as a program.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.quantity import Quantity
from uqmbd.inputs.unit_algebra import ANGLE, PURE, UnitsDiffer, power_of, product_of, require_pure, sum_of

WORDS = re.compile(r"'[^']*'|\"[^\"]*\"|(?<![\w.])[^\W\d]\w*(?:\.\w+|\[\d+\])*(?::\w+)?")
LETTER = "ː"  # a letter to Python, in place of what is in the names of outputs and not in those of Python
QUOTE = "a name with a window or other signs in it stands between quotes: 'B.force:max@0.1..0.3'"
NUMBERS = {"pi": np.pi}


class FormulaError(ValueError):
    """A formula that cannot be read, or means nothing: why, where in its text, and what helps."""

    def __init__(self, text: str, at: int, remedy: str) -> None:
        super().__init__(text, at, remedy)
        self.text, self.at, self.remedy = text, at, remedy


@dataclass(frozen=True)
class Operation:
    """A function of the language.

    Attributes
    ----------
    values : function
        Of arrays.
    unit : function
        Of the units of its arguments; raises `UnitsDiffer`.
    counts : (int, int)
        Fewest and most arguments.
    nonnegative : function
        Whether it cannot be negative, from whether its arguments cannot.
    """

    values: Callable[..., Any]
    unit: Callable[[Sequence[str]], str]
    counts: tuple[int, int]
    nonnegative: Callable[[Sequence[bool]], bool] = any


def folded(two: Callable[..., Any]) -> Callable[..., Any]:
    """A function of two arrays for several of them."""

    def several(first: Any, *rest: Any) -> Any:
        for each in rest:
            first = two(first, each)
        return first

    return several


def pure(name: str, unit: str = PURE) -> Callable[[Sequence[str]], str]:
    """The rule of a function of pure numbers: its values have this unit."""

    def rule(units: Sequence[str]) -> str:
        for each in units:
            require_pure(each, name)
        return unit

    return rule


def angle_of(units: Sequence[str]) -> str:
    """The rule of `atan2`."""
    sum_of(units)
    return ANGLE


def never(_: Sequence[bool]) -> bool:
    """It may be negative."""
    return False


def always(_: Sequence[bool]) -> bool:
    """It cannot be negative."""
    return True


MOST = 16  # arguments
OPERATIONS = {
    ast.Add: Operation(np.add, sum_of, (2, 2), all),
    ast.Sub: Operation(np.subtract, sum_of, (2, 2), never),
    ast.Mult: Operation(np.multiply, lambda units: product_of(units[0], units[1]), (2, 2), all),
    ast.Div: Operation(np.divide, lambda units: product_of(units[0], units[1], -1), (2, 2), all),
    ast.Pow: Operation(np.power, pure("a power that is no number"), (2, 2), lambda of: of[0]),
    ast.USub: Operation(np.negative, sum_of, (1, 1), never),
    ast.UAdd: Operation(np.positive, sum_of, (1, 1), all),
}
FUNCTIONS = {
    "hypot": Operation(folded(np.hypot), sum_of, (2, MOST), always),
    "sqrt": Operation(np.sqrt, lambda units: power_of(units[0], 0.5), (1, 1), always),
    "abs": Operation(np.abs, sum_of, (1, 1), always),
    "min": Operation(folded(np.minimum), sum_of, (2, MOST), all),
    "max": Operation(folded(np.maximum), sum_of, (2, MOST), any),
    **{name: Operation(getattr(np, name), pure(name), (1, 1), never) for name in ("sin", "cos", "tan", "log")},
    "exp": Operation(np.exp, pure("exp"), (1, 1), always),
    **{name: Operation(getattr(np, f"arc{name[1:]}"), pure(name, ANGLE), (1, 1), never) for name in ("asin", "acos", "atan")},
    "atan2": Operation(np.arctan2, angle_of, (2, 2), never),
}


@dataclass(frozen=True)
class Term:
    """A part of a formula: an operation on others, or the name of an output, or a number with its unit.

    Attributes
    ----------
    at : int
        Where it begins in the text.
    """

    at: int
    operation: Operation | None = None
    parts: tuple[Term, ...] = ()
    output: str = ""
    number: float = 0.0
    unit: str = PURE

    @property
    def outputs(self) -> list[str]:
        """The outputs in it, each once."""
        return list(dict.fromkeys([self.output] if self.output else [name for part in self.parts for name in part.outputs]))

    def values(self, known: Mapping[str, Any]) -> Any:
        """Its values, from those of the outputs: arrays that fit each other."""
        if self.operation is not None:
            return self.operation.values(*(part.values(known) for part in self.parts))
        return known[self.output] if self.output else self.number

    def unit_from(self, known: Mapping[str, str]) -> str:
        """Its unit, from those of the outputs.

        Raises
        ------
        FormulaError
            Where units do not go together.
        """
        if self.operation is None:
            return known[self.output] if self.output else self.unit
        units = [part.unit_from(known) for part in self.parts]
        try:
            if (exponent := self.exponent) is not None:
                return power_of(units[0], exponent)
            return self.operation.unit(units)
        except UnitsDiffer as error:
            text = "convert one of them; a number with its unit is written between quotes, \"tip.x - '0.1 m'\""
            raise FormulaError(str(error), self.at, text) from None

    @property
    def exponent(self) -> float | None:
        """The exponent of a power, where that is a number."""
        if self.operation is not OPERATIONS[ast.Pow] or self.parts[1].outputs:
            return None
        return float(self.parts[1].values({}))

    def nonnegative(self, known: Callable[[str], bool]) -> bool:
        """Whether it cannot be negative, from whether outputs cannot."""
        if self.operation is None:
            return known(self.output) if self.output else self.number >= 0.0
        if (exponent := self.exponent) is not None and exponent % 2 == 0:
            return True
        return self.operation.nonnegative([part.nonnegative(known) for part in self.parts])


@cache
def read(text: str) -> Term:
    """The formula in a text.

    Raises
    ------
    FormulaError
        If it is none.
    """
    python = WORDS.sub(lambda found: found[0] if found[0][0] in "'\"" else re.sub(r"\W", LETTER, found[0]), text.replace("\n", " "))
    indent = len(python) - len(python.lstrip())
    try:
        tree = ast.parse(python.strip(), mode="eval")
        return Reader(python.strip(), text, indent).term(tree.body)
    except SyntaxError as error:
        raise FormulaError("the formula cannot be read", indent + error.offset - 1 if error.offset else len(text), QUOTE) from None
    except (RecursionError, MemoryError, ValueError) as error:
        if isinstance(error, FormulaError):
            raise
        raise FormulaError("the formula cannot be read", 0, "write it shorter") from None


@dataclass(frozen=True)
class Reader:
    """From Python's tree to terms."""

    python: str
    text: str
    indent: int

    def at(self, node: ast.expr) -> int:
        """Where a node begins in the text; Python counts bytes."""
        return self.indent + len(self.python.encode()[: node.col_offset].decode())

    def term(self, node: ast.expr) -> Term:
        """The term of a node."""
        at = self.at(node)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
            return Term(at, OPERATIONS[type(node.op)], (self.term(node.left), self.term(node.right)))
        if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATIONS:
            return Term(at, OPERATIONS[type(node.op)], (self.term(node.operand),))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self.function(node, self.text[at : at + len(node.func.id)])
        if isinstance(node, ast.Name):
            name = self.text[at : at + len(node.id)]
            return Term(at, number=NUMBERS[name]) if name in NUMBERS else Term(at, output=name)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.strip():
            return self.quoted(node.value.strip(), at)
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
            return Term(at, number=float(node.value))
        remedy = f"there are numbers, outputs, + - * / ** and {', '.join(FUNCTIONS)}"
        raise FormulaError("this is no part of the language of formulas", at, remedy)

    def quoted(self, text: str, at: int) -> Term:
        """An output whose name has signs in it, or a number with its unit."""
        if not (text[0].isdigit() or text[0] in "+-."):
            return Term(at, output=text)
        try:
            found = Quantity.read(text)
        except StudyError as error:
            raise FormulaError(error.message, at, str(error.remedy)) from None
        return Term(at, number=float(found), unit=found.si.unit or PURE)

    def function(self, node: ast.Call, name: str) -> Term:
        """A call of a function of the language."""
        at = self.at(node)
        if name not in FUNCTIONS:
            raise FormulaError(f"there is no function '{name}'", at, did_you_mean(name, FUNCTIONS, noun="function"))
        low, high = FUNCTIONS[name].counts
        if node.keywords or not low <= len(node.args) <= high:
            wanted = f"{low}" if low == high else f"{low} to {high}"
            remedy = (
                f"write {name}(...) with so many; over time, an output is reduced by its name: tip.x:{name}" if low > 1 else "mend the call"
            )
            raise FormulaError(f"'{name}' takes {wanted} values, separated by commas", at, remedy)
        return Term(at, FUNCTIONS[name], tuple(self.term(part) for part in node.args))
