"""What was measured, in SI."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.analysis.base.columns import Columns
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.quantity import Level, Quantity, in_unit
from uqmbd.inputs.table import read_columns
from uqmbd.inputs.units import ToSI, to_si
from uqmbd.methods.parameter_studies.from_file import FromFile

HEAD = re.compile(r"^(?P<name>.*?)\s*(?:\[(?P<unit>[^\]]*)\])?$")


class Readings(FromFile):
    """What was measured, as a study says it.

    Attributes
    ----------
    data : str or list of str
        CSV file of measured histories: a column ``time`` and one for each measured output, headed by its name and maybe its unit, as in
        ``slider.x [mm]``. Its path is relative to the study file (in Python: to the current directory). Several files, with times of their
        own, are a list. The runs give their histories at these times too where the model can: a mechanism, and a function that takes
        ``time``. Else histories are interpolated between the study's times, which the report says.
    scalars : dict of str to float or str
        Measured scalars: ``scalars = { "B.force:max" = 12.3 }``, or with their unit, ``"12.3 kN"``.
    units : dict of str to str
        Units of columns and scalars that name none; SI where nothing is said.
    deviations : dict of str to float or str
        Standard deviation of each measurement, in its unit, or with one, ``"0.2 mm"``. With them the covariance is absolute; without them
        outputs are weighted by their range, and the scatter of the residuals scales the covariance.
    """

    scalars: dict[str, Level] = Field(default_factory=dict)
    units: dict[str, str] = Field(default_factory=dict)
    deviations: dict[str, Level] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _measured(self) -> Self:
        if not self.data and not self.scalars:
            raise ValueError('a calibration needs data (a CSV file of histories) or scalars: data = "measured.csv", say')
        for name, value in self.deviations.items():
            if value <= 0:
                raise StudyError(
                    "a standard deviation is positive", key=f"deviations.{name}", value=value, remedy="give that of one reading"
                )
        return self


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


def measured(settings: Readings, columns: Columns) -> list[Measured]:
    """All measurements, checked against the outputs of the study."""
    entries = together([entry for file in data_files(settings) for entry in file.histories(settings, columns)])
    for name, value in settings.scalars.items():
        check_output(name, columns, history=False, key=f"method.scalars.{name}")
        factor, offset = conversion(name, settings.units.get(name, ""), columns, f"method.units.{name}")
        if isinstance(value, Quantity):
            number = in_unit(value, columns.outputs[name].unit, of=name, key=f"method.scalars.{name}")
        else:
            number = factor * value + offset
        entries.append(Measured(name, None, np.array([number]), deviation(settings, name, factor, columns)))
    known = [entry.name for entry in entries]
    for key in ("units", "deviations"):
        for name in getattr(settings, key):
            if name not in known and not (key == "units" and name == "time"):
                raise StudyError(
                    f"'{name}' is not measured", key=f"method.{key}.{name}", remedy=did_you_mean(name, known, noun="measurement")
                )
    given = [entry.name for entry in entries if entry.deviation is not None]
    if given and len(given) < len(entries):
        lacking = next(name for name in known if name not in given)
        raise StudyError(f"'{lacking}' has no standard deviation while others have", key="method.deviations", remedy="give all or none")
    return entries


@dataclass(frozen=True)
class DataFile:
    """A file of measured histories."""

    path: str
    units: dict[str, str | None]  # of each column, by its name
    values: np.ndarray  # (readings, columns), in these units

    def unit(self, settings: Readings, name: str) -> str:
        """Unit of a column."""
        unit = self.units[name]
        return settings.units.get(name, "") if unit is None else unit

    def times(self, settings: Readings, end: float) -> np.ndarray:
        """Times of the readings, (readings,) [s], within a run to `end` [s]."""
        if "time" not in self.units:
            remedy = "head it: time [s],slider.x [mm]"
            raise StudyError("the file has no column 'time'", key="method.data", value=self.path, remedy=remedy)
        unit = self.unit(settings, "time")
        si = checked_unit(unit, "method.data")
        if si.unit not in ("", "s"):
            text = f"time is measured in {unit}, which is not a time"
            raise StudyError(text, key="method.data", value=self.path, remedy="head it time [s]")
        time = si.factor * self.values[:, list(self.units).index("time")]
        outside = np.flatnonzero((time < -1e-9 * end) | (time > end * (1 + 1e-9)))
        if outside.size:
            text = f"reading {outside[0] + 1} is at {time[outside[0]]:.6g} s, outside the study's times from 0 to {end:.6g} s"
            raise StudyError(text, key="method.data", value=self.path, remedy="raise time.end, or leave the reading out")
        return np.clip(time, 0.0, end)

    def histories(self, settings: Readings, columns: Columns) -> list[Measured]:
        """Its columns."""
        time = self.times(settings, columns.time[-1] if len(columns.time) else 0.0)
        values = dict(zip(self.units, self.values.T, strict=True))
        if len(values) < 2:
            text = "the file has no column besides time"
            raise StudyError(text, key="method.data", value=self.path, remedy="add a measured output")
        out = []
        for name in (name for name in values if name != "time"):
            try:
                check_output(name, columns, history=True, key="method.data")
                factor, offset = conversion(name, self.unit(settings, name), columns, "method.data")
            except StudyError as error:
                raise error.at(key="method.data", value=error.value or self.path) from None
            out.append(Measured(name, time, factor * values[name] + offset, deviation(settings, name, factor, columns)))
        return out


def data_files(settings: Readings) -> list[DataFile]:
    """The files of measured histories."""
    paths = settings.data if isinstance(settings.data, list) else [] if settings.data is None else [settings.data]
    files = []
    for path in paths:
        try:
            table = read_columns(path, None, least=1)
        except StudyError as error:
            raise error.at(key="method.data", value=path) from None
        units = {match["name"]: match["unit"] for head in table.columns if (match := HEAD.match(head))}
        if len(units) < len(table.columns):
            text = "two columns of the file are of the same output"
            raise StudyError(text, key="method.data", value=path, remedy="write them into two files: data = [...] takes several")
        files.append(DataFile(path, units, table.values))
    return files


def together(entries: list[Measured]) -> list[Measured]:
    """Readings of the same output, of several files, as one measurement."""
    out: dict[str, Measured] = {}
    for entry in entries:
        if (first := out.get(entry.name)) is not None:
            if entry.deviation != first.deviation:
                text = f"the standard deviation of '{entry.name}' is a number without a unit, and the files have it in two units"
                remedy = f'write it with its unit: {{ "{entry.name}" = "0.2 mm" }}, say'
                raise StudyError(text, key=f"method.deviations.{entry.name}", remedy=remedy)
            time = np.concatenate([one.time for one in (first, entry) if one.time is not None])
            values = np.concatenate([first.values, entry.values])
            entry = Measured(entry.name, time, values, entry.deviation)
        out[entry.name] = entry
    return list(out.values())


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


def checked_unit(unit: str, key: str) -> ToSI:
    """What makes numbers in a unit SI; an error names the key of the setting."""
    try:
        return to_si(unit)
    except StudyError as error:
        raise StudyError(error.message, key=key, value=unit, remedy=error.remedy) from None


def conversion(name: str, unit: str, columns: Columns, key: str) -> tuple[float, float]:
    """Factor and offset to SI; raises `StudyError` for another dimension than the output's."""
    si = checked_unit(unit, key)
    own = to_si(columns.outputs[name].unit)
    if si.unit and own.unit and si.unit != own.unit:
        raise StudyError(f"'{name}' is measured in {unit}, but is in {own.unit}", key=key, remedy="mend the unit")
    return si.factor, si.offset


def deviation(settings: Readings, name: str, factor: float, columns: Columns) -> float | None:
    """Standard deviation of one reading, in the unit of the output; a plain number is in that of the readings, which `factor` makes so."""
    if name not in settings.deviations:
        return None
    value = settings.deviations[name]
    if isinstance(value, Quantity):
        return in_unit(value, columns.outputs[name].unit, of=name, key=f"method.deviations.{name}", difference=True)
    return abs(factor) * value
