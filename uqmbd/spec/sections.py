"""The sections of a study that are plain settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field, ValidationInfo, field_validator, model_validator

from uqmbd.errors import StudyError
from uqmbd.inputs.checked import Checked, Number, plain_number
from uqmbd.inputs.names import identifier
from uqmbd.simulators.sections import Section, read_section


class TimeGrid(Checked):
    """Times at which histories are kept: ``TimeGrid(end=0.024, points=481)`` is 0 to 0.024 s.

    Attributes
    ----------
    end : float
        Last time [s].
    points : int
        Number of times, the first one is 0.
    also : list of float
        Further times at which histories are kept [s]. A method that compares with measurements, `calibrate`, adds theirs by itself. The
        model is a mechanism, or takes the times as its argument `time`.

    Examples
    --------
    >>> import numpy as np
    >>> import uqmbd as uq
    >>> def decay(rate, time):
    ...     return {"u": np.exp(-rate * time)}
    >>> grid = uq.TimeGrid(end=1.0, points=11)
    >>> study = uq.Study(model=decay, inputs={"rate": uq.Interval(1.0, 2.0)}, outputs=["u"], method=uq.Chebyshev(degree=6), time=grid)
    >>> study.grid()[:3].tolist()  # s
    [0.0, 0.1, 0.2]
    """

    end: Number = Field(gt=0)
    points: int = Field(default=201, ge=2)
    also: list[Number] = []

    @model_validator(mode="after")
    def _within(self) -> Self:
        for time in self.also:
            if not 0 <= time <= self.end:
                text = f"{time:g} s is not within the study's times from 0 to {self.end:g} s"
                raise StudyError(text, key="also", value=time, remedy="raise end, or leave it out")
        return self

    def grid(self) -> np.ndarray:
        """Equal steps of time, shape (points,) [s]."""
        return np.linspace(0.0, self.end, self.points)


class CampaignSettings(Checked):
    """How the runs are done.

    Attributes
    ----------
    workers : int, optional
        Processes; as many as there are processors unless said; 0 runs in this process. Few short runs of a function or a command are
        all done by one of them, which begins sooner.
    seed : int
        Of all random choices.
    batch : int, optional
        Runs handed to a worker at once; measured unless said.
    store : str
        ``all`` keeps every history, ``scalars`` only numbers and what the method needs of the histories.
    precision : str
        Type of stored histories: ``float64`` (``auto`` is the same), or ``float32`` for half of the disk: then everything is computed from
        the rounded numbers, and the result says how much of the spread over the runs that is.
    runs : str, optional
        Where the runs are kept: a folder, relative to that of the results, or an address that fsspec knows (``s3://bucket/study``); in
        ``runs`` beside the results unless said.
    timeout : float, optional
        Longest time a run may take [s] (Python functions and commands; the lane solver has ``solver.max_steps``). Where there is one, runs
        of a function, and the trial run, are made by a process of their own, which is ended where they do not stop by themselves.
    wait : float
        Longest time for which a cluster (``--scheduler``) may have no workers, at the start or in between [s]: as long as a queue takes.

    Examples
    --------
    >>> import uqmbd as uq
    >>> uq.CampaignSettings(seed=7, workers=2).seed
    7
    """

    workers: int | None = Field(default=None, ge=0, le=4096)
    seed: int = Field(default=1, ge=0)
    batch: int | None = Field(default=None, ge=1)
    store: Literal["all", "scalars"] = "all"
    precision: Literal["auto", "float32", "float64"] = "auto"
    runs: str | None = None
    timeout: Number | None = Field(default=None, gt=0)
    wait: Number = Field(default=600.0, ge=0)


class OutputsSection(Checked):
    """What of the model's response is kept. `uqmbd outputs STUDY` lists what there is.

    Attributes
    ----------
    include : list of str
        Names; ``name:max``, ``:min``, ``:abs_max``, ``:mean``, ``:rms``, ``:final``, ``:time_of_max``, ``:time_of_min`` reduce a history to
        a number, ``:p95`` is its percentile over time (any from p0 to p100). Within a window: ``name:max@0.1..`` (from 0.1 s on),
        ``name:max@100 ms..300 ms``, ``name:mean@last turn of crank.angle`` (the last whole turn, counted from where the angle stands at
        the start). ``*`` and ``?`` stand for all outputs of the model that fit: ``*.force:max``.
    units : dict of str to str
        Units of outputs for which the model gives none, ``{ force = "N" }``; words for reports, nothing is converted.
    derived : dict of str to str
        Formulas of outputs that are made of others, by name, see ``docs/models.md``:
        ``{ deviation = "hypot(tip.x - ideal.x, tip.y - ideal.y)" }``. `include` then names them, or what they are reduced to.
    sections : dict of str to Section
        Poincaré sections of a mechanism by name, ``[outputs.sections.NAME]``, see ``docs/models.md``. Outputs are then ``NAME.slider.x``
        for each output in their `of`; `include` may name others, ``NAME.time``, and what they are reduced to, ``NAME.slider.x:last``.
    """

    include: list[str] = []
    units: dict[str, str] = {}
    derived: dict[str, str] = {}
    sections: dict[str, Section] = {}

    @field_validator("sections", mode="before")
    @classmethod
    def _sections(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            text, remedy = "expected a table of sections by name", "write [outputs.sections.poincare] and every = 0.1 below it, say"
            raise StudyError(text, key="sections", value=given, remedy=remedy)
        return {str(name): read_section(str(name), table) for name, table in given.items()}

    @model_validator(mode="after")
    def _of_sections(self) -> Self:
        """What sections take is asked for."""
        more = [f"{name}.{each}" for name, section in self.sections.items() for each in section.of]
        vars(self)["include"] = [*self.include, *(name for name in more if name not in self.include)]
        return self

    def written(self) -> dict[str, Any]:
        """As a study file says it."""
        found = {key: said for key, said in self.model_dump(exclude={"sections"}).items() if said}
        sections = {name: section.written() for name, section in self.sections.items()}
        return found | ({"sections": sections} if sections else {})

    @field_validator("units", "derived", mode="before")
    @classmethod
    def _texts(cls, given: Any, info: ValidationInfo) -> Any:
        for name, text in given.items() if isinstance(given, dict) else ():
            if not isinstance(text, str):
                what, like = {"units": ("unit", "N"), "derived": ("formula", "hypot(tip.x, tip.y)")}[str(info.field_name)]
                key, remedy = f"{info.field_name}.{name}", f'write it as "{like}"'
                raise StudyError(f"expected a {what} as text", key=key, value=text, remedy=remedy)
        return given


class ReportSection(Checked):
    """What the report shows besides what it finds by itself. Changing it does no run again.

    Attributes
    ----------
    key : str, optional
        The output that the report begins with; the first trusted number unless said.
    orbits : list, optional
        Pairs of histories, x and y, and optionally what both are divided by, an input or a number: ``["B.ex", "B.ey", "clearance"]``.
        Unless said: those that the solver's outputs are known for (flexmbd: every ``X.ex``, ``X.ey``).
    regimes : list of str, optional
        Histories that are codes 0, 1, ...; unless said those that are known (flexmbd: every ``X.regime``).
    regime_labels : list of str, optional
        What the codes mean; unless said what they mean in flexmbd, film, mixed and dry.
    fields : list
        Functions of the nominal run that return labelled arrays to draw: ``"model.py:pressure_map"``.
    figures : list
        Functions of the result that return figures: ``"file.py:my_figures"``, ``"package.module:my_figures"``.
    needs : list of str
        Outputs that the nominal run has for them besides those of the study.
    """

    key: str | None = None
    orbits: list[Any] | None = None
    regimes: list[str] | None = None
    regime_labels: list[str] | None = Field(default=None, min_length=1, max_length=8)
    fields: list[Any] = []
    figures: list[Any] = []
    needs: list[str] = []

    @field_validator("orbits")
    @classmethod
    def _pairs(cls, orbits: list[Any] | None) -> list[Any] | None:
        for orbit in orbits or []:
            pair = isinstance(orbit, (list, tuple)) and len(orbit) in (2, 3) and all(isinstance(name, str) for name in orbit[:2])
            if not pair:
                raise ValueError(f"an orbit is two outputs and perhaps what they are divided by, not {orbit!r}")
            if len(orbit) == 3 and not isinstance(orbit[2], str) and plain_number(orbit[2]) <= 0:
                raise ValueError(f"an orbit cannot be divided by {orbit[2]!r}, which is not above 0")
        return None if orbits is None else [[*o[:2], *(identifier(by) if isinstance(by, str) else by for by in o[2:])] for o in orbits]

    @field_validator("fields", "figures", mode="before")
    @classmethod
    def _several(cls, fields: Any) -> Any:
        return fields if isinstance(fields, list) else [fields]
