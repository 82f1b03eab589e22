"""What was measured, in SI."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis.columns import Columns
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.quantity import Quantity, in_unit
from uqmbd.inputs.table import read_columns
from uqmbd.inputs.units import to_si

if TYPE_CHECKING:
    from uqmbd.methods.parameter_studies.calibrate import Calibrate

HEAD = re.compile(r"^(?P<name>.*?)\s*(?:\[(?P<unit>[^\]]*)\])?$")


@dataclass(frozen=True)
class Measured:
    """One measured output."""

    name: str
    time: np.ndarray | None  # (readings,), s; None for a scalar
    values: np.ndarray  # (readings,), SI
    deviation: float | None  # of one reading, SI

    @property
    def weight(self) -> float:
        """By which residuals are multiplied: one over the deviation, or over the range (of a scalar: the size) of the readings."""
        if self.deviation is not None:
            return 1 / self.deviation
        size = np.ptp(self.values) or np.abs(self.values).max()
        return 1 / size if size > 0 else 1.0


def measured(settings: Calibrate, columns: Columns) -> list[Measured]:
    """All measurements, checked against the outputs of the study."""
    found = [*histories(settings, columns)] if settings.data is not None else []
    for name, value in settings.scalars.items():
        check_output(name, columns, history=False, key=f"method.scalars.{name}")
        factor, offset = conversion(name, settings.units.get(name, ""), columns, f"method.units.{name}")
        if isinstance(value, Quantity):
            number = in_unit(value, columns.outputs[name].unit, of=name, key=f"method.scalars.{name}")
        else:
            number = factor * value + offset
        found.append(Measured(name, None, np.array([number]), deviation(settings, name, factor, columns)))
    known = [entry.name for entry in found]
    for key in ("units", "deviations"):
        for name in getattr(settings, key):
            if name not in known and not (key == "units" and name == "time"):
                raise StudyError(
                    f"'{name}' is not measured", key=f"method.{key}.{name}", remedy=did_you_mean(name, known, noun="measurement")
                )
    given = [entry.name for entry in found if entry.deviation is not None]
    if given and len(given) < len(found):
        lacking = next(name for name in known if name not in given)
        raise StudyError(f"'{lacking}' has no standard deviation while others have", key="method.deviations", remedy="give all or none")
    return found


def histories(settings: Calibrate, columns: Columns) -> list[Measured]:
    """The columns of the file."""
    try:
        heads = headings(settings.data)
        table = read_columns(settings.data, heads, least=1)
    except StudyError as error:
        raise error.at(key="method.data", value=settings.data) from None
    split = {head: HEAD.match(head).group("name", "unit") for head in heads}
    names = [name for name, _ in split.values()]
    if "time" not in names:
        raise StudyError("the file has no column 'time'", key="method.data", value=settings.data, remedy="head it: time [s],slider.x [mm]")
    if len(heads) < 2:
        raise StudyError("the file has no column besides time", key="method.data", value=settings.data, remedy="add a measured output")
    values = dict(zip(names, table.values.T, strict=True))
    units = {name: unit if unit is not None else settings.units.get(name, "") for name, unit in split.values()}
    time = _time(settings, values.pop("time"), units["time"], columns)
    out = []
    for name, column in values.items():
        check_output(name, columns, history=True, key="method.data")
        factor, offset = conversion(name, units[name], columns, "method.data")
        out.append(Measured(name, time, factor * column + offset, deviation(settings, name, factor, columns)))
    return out


def headings(path: str) -> list[str]:
    """Column headings of a CSV file."""
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            first = file.readline().rstrip("\n")
    except (OSError, UnicodeDecodeError):
        return ["time"]  # the reader of the columns says what is wrong
    return [name.strip() for name in next(csv.reader([first], delimiter=max(",;\t", key=first.count)), [])]


def _time(settings: Calibrate, time: np.ndarray, unit: str, columns: Columns) -> np.ndarray:
    si = to_si(unit)
    if si.unit not in ("", "s"):
        raise StudyError(
            f"time is measured in {unit}, which is not a time", key="method.data", value=settings.data, remedy="head it time [s]"
        )
    time = si.factor * time
    grid = columns.time
    end = grid[-1] if len(grid) else 0.0
    outside = np.flatnonzero((time < -1e-9 * end) | (time > end * (1 + 1e-9)))
    if outside.size:
        raise StudyError(
            f"reading {outside[0] + 1} is at {time[outside[0]]:.6g} s, outside the study's times from 0 to {end:.6g} s",
            key="method.data",
            value=settings.data,
            remedy="raise time.end, or leave the reading out",
        )
    return np.clip(time, 0.0, end)


def check_output(name: str, columns: Columns, *, history: bool, key: str) -> None:
    """Raise `StudyError` unless the study has such an output."""
    if name not in columns.outputs:
        raise StudyError(f"the study has no output '{name}'", key=key, remedy=did_you_mean(name, columns.outputs, noun="output"))
    info = columns.outputs[name]
    if info.axis and not info.over_time:
        text = f"the output '{name}' is {info.noun}, and readings are numbers or over time"
        raise StudyError(text, key=key, remedy="measure numbers of it, such as its greatest value, or leave it out")
    if info.over_time != history:
        kind, remedy = ("a scalar", "put it under scalars") if history else ("a history", "put it into the file given as data")
        raise StudyError(f"the output '{name}' is {kind}", key=key, remedy=remedy)


def conversion(name: str, unit: str, columns: Columns, key: str) -> tuple[float, float]:
    """Factor and offset to SI; raises `StudyError` for another dimension than the output's."""
    try:
        si = to_si(unit)
    except StudyError as error:
        raise StudyError(error.message, key=key, value=unit, remedy=error.remedy) from None
    own = to_si(columns.outputs[name].unit)
    if si.unit and own.unit and si.unit != own.unit:
        raise StudyError(f"'{name}' is measured in {unit}, but is in {own.unit}", key=key, remedy="mend the unit")
    return si.factor, si.offset


def deviation(settings: Calibrate, name: str, factor: float, columns: Columns) -> float | None:
    """Standard deviation of one reading, in the unit of the output; a plain number is in that of the readings, which `factor` makes so."""
    if name not in settings.deviations:
        return None
    value = settings.deviations[name]
    if isinstance(value, Quantity):
        return in_unit(value, columns.outputs[name].unit, of=name, key=f"method.deviations.{name}", difference=True)
    return abs(factor) * value
