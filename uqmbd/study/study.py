"""A study: model, times, inputs, outputs, method, and how to run them."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.doors import blaming, model_of
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.groups import DIMENSIONS
from uqmbd.inputs import Input, given
from uqmbd.inputs.copula import Dependence
from uqmbd.inputs.joint import names_in
from uqmbd.inputs.sets import ConvexSet
from uqmbd.inputs.space import Space
from uqmbd.methods import Method
from uqmbd.outcomes import OutputInfo
from uqmbd.printing import near, say
from uqmbd.simulators.derived import Derived
from uqmbd.simulators.model import Model
from uqmbd.simulators.windows import asked, is_pattern, matching
from uqmbd.study.labels import labelled
from uqmbd.study.settings import CampaignSettings, ReportSection, TimeGrid
from uqmbd.study.showing import check_report, field_functions
from uqmbd.study.times import grid_of

if TYPE_CHECKING:
    from uqmbd.result import Result
    from uqmbd.results import Results
    from uqmbd.study.cost import Cost

TAKEN = frozenset(("status", "message", "time", "run", "input", "partial"))  # columns of the runs, and what these begin with


class Study:
    """What is asked of a model whose inputs are uncertain.

    Parameters
    ----------
    model : function or str
        ``f(**inputs)`` that returns a `flexmbd.System`, or a dict of numbers, arrays over time, `Curve`;
        or its name, ``model.py:function``.
    inputs : dict of str to Input, or to distributions of chaospy or scipy
        Uncertain arguments of the model; several names, ``"a, b"``, for a joint distribution of chaospy.
    outputs : list of str
        ``"name"`` or ``"name:reduction"``: max, min, abs_max, mean, rms, final, time_of_max, time_of_min, p95 (any percentile), each also
        within a window, ``"name:max@0.1..0.3"`` (s unless it has a unit), ``"name:max@last turn of crank.angle"``. ``*`` and ``?`` in a
        name stand for all outputs of the model that fit: ``"*.force:max"``.
    method : Method, list or dict of these
        Several methods are run one after the other on the same runs: what one has had done the next does not do again. Each has a folder
        of results by its label, which is its type, or the key of a dict.
    time : TimeGrid, optional
        Not needed for models that return only numbers.
    name : str, optional
        Names the directory of the results; the function's name unless said.
    campaign : CampaignSettings or dict, optional
        Workers, seed, what is stored.
    solver : dict, optional
        Settings of the solver, such as ``tolerance``.
    directory : path, optional
        Where relative model files are looked for.
    dependence : Dependence or dict, optional
        Between random inputs: ``{"rank_correlation": [["a", "b", 0.6]]}``.
    sets : dict of str to ConvexSet or dict, optional
        Over interval inputs: ``{"tolerances": {"inputs": ["a", "b"], "correlation": [["a", "b", 0.5]]}}``.
    report : ReportSection or dict, optional
        What the report shows besides: its key output, orbits, regimes, fields of the nominal run.
    units : dict of str to str, optional
        Units of outputs for which the model gives none, by the output's name, with or without its reduction. They are words for reports;
        nothing is converted.
    derived : dict of str to str, optional
        Formulas of outputs that are made of others: ``{"deviation": "hypot(tip.x - ideal.x, tip.y - ideal.y)"}``; see
        ``docs/models.md``.
    simulator : str or callable, optional
        What runs the model, from outside (``docs/plugins.md``): then `model` is handed to it, and may be left out.
    vectorized : bool
        The function takes arrays, one number for each run, and is called once for a batch; see `uqmbd.vectorized`.
    title, description : str
        What the report begins with: a title instead of the name, and what is asked, in a sentence or two.

    Examples
    --------
    >>> import uqmbd as uq
    >>> study = uq.Study(
    ...     model=lambda a: {"y": a**2}, inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["y"], method=uq.Chebyshev(degree=3)
    ... )
    """

    settled: np.ndarray | None = None  # times of the histories, when these are known, see `settle`

    def __init__(
        self,
        *,
        model: Callable[..., Any] | str | Model | None = None,
        inputs: Mapping[str, Input],
        outputs: Sequence[str],
        method: Method | Sequence[Method] | Mapping[str, Method],
        time: TimeGrid | None = None,
        name: str | None = None,
        campaign: CampaignSettings | Mapping[str, Any] | None = None,
        solver: Mapping[str, Any] | None = None,
        directory: str | Path = ".",
        dependence: Dependence | Mapping[str, Any] | None = None,
        sets: Mapping[str, ConvexSet | Mapping[str, Any]] | None = None,
        report: ReportSection | Mapping[str, Any] | None = None,
        units: Mapping[str, str] | None = None,
        derived: Mapping[str, str] | None = None,
        vectorized: bool = False,
        simulator: str | Callable[..., Any] | None = None,
        title: str = "",
        description: str = "",
    ) -> None:
        self.document: dict[str, Any] | None = None
        self.file: Path | None = None
        self.model = model if isinstance(model, Model) else model_of(model, simulator, vectorized, Path(directory))
        self.inputs = Space(check_inputs(inputs, optional=bool(sets)), dependence, sets)
        check_inputs(self.inputs)  # with those that sets bring
        self.outputs = check_outputs(outputs)
        self.model = replace(self.model, derived=Derived.of(derived or {}, units or {}))
        self.methods = labelled(method)
        self.method = next(iter(self.methods.values()))
        self.time = check_kind(time, (TimeGrid, type(None)), "time", "uqmbd.TimeGrid(end=..., points=...)")
        self.solver = dict(solver or {})
        try:
            self.campaign = campaign if isinstance(campaign, CampaignSettings) else CampaignSettings(**(campaign or {}))
        except StudyError as error:
            raise error.under("campaign") from None
        if any(map(is_pattern, self.outputs)):
            self.outputs = check_outputs(filled_in(self))
        self.name = check_name(name or self.model.name or "study")
        self.units = check_units(units or {}, [*self.outputs, *(part for name in self.outputs for part in self.model.derived.below(name))])
        self.title = check_kind(title, str, "study.title", "text")
        self.description = check_kind(description, str, "study.description", "text")
        self.report = check_report(report, self.outputs, list(self.inputs), Path(directory))
        self.field_functions = field_functions(self.report, Path(directory))
        for one in self.methods.values():
            with blaming(type(one), "method", "method"):
                one.check(self.inputs.uncertain)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name} {item.describe()}" for name, item in self.inputs.items())
        return f"<Study {self.name}: {self.model.label}, {', '.join(self.methods)}; inputs {inputs}; outputs {', '.join(self.outputs)}>"

    def _repr_html_(self) -> str:
        """For notebooks: what is asked, and the inputs as a table."""
        inputs = {name: html.escape(item.describe()) for name, item in self.inputs.items()}
        rows = "".join(f"<tr><td>{name}</td><td>{text}</td></tr>" for name, text in inputs.items())
        methods = ", ".join(one if one == kind.name else f"{one} ({kind.name})" for one, kind in self.methods.items())
        facts = {"model": self.model.label, "method": methods, "outputs": ", ".join(self.outputs)}
        words = "".join(f"<br>{key}: {html.escape(text)}" for key, text in facts.items())
        head = f"<p><b>{html.escape(self.title or self.name)}</b>{words}</p>"
        return f"{head}<table><thead><tr><th>input</th><th>value</th></tr></thead><tbody>{rows}</tbody></table>"

    @classmethod
    def from_file(cls, path: str | Path) -> Study:
        """Read a study file."""
        from uqmbd.study.file import read_study

        return read_study(Path(path), cls)

    def said(self) -> dict[str, Any]:
        """What a result says of its study in words, which change no number: name, title, description, inputs as they were written."""
        return {"study": self.name, **self.words(), "inputs": self.inputs.described()}

    def more_of_outputs(self) -> dict[str, dict[str, str]]:
        """What a study file says of outputs besides their names."""
        return {"units": self.units, "derived": dict(self.model.derived.formulas)}

    def words(self) -> dict[str, str]:
        """Title and description, if the study has them."""
        return {key: text for key, text in (("title", self.title), ("description", self.description)) if text}

    def in_units(self, info: Mapping[str, OutputInfo]) -> dict[str, OutputInfo]:
        """What is known of the outputs, with the units that the study gives them.

        Raises
        ------
        StudyError
            When the model gives an output another unit.
        """
        found = dict(info)
        for name, known in info.items():
            parts = asked(name)
            unit = self.units.get(name, "" if parts.is_place else self.units.get(parts.base, ""))
            if unit and known.unit and unit != known.unit:
                raise StudyError(
                    f"the model gives '{name}' in {known.unit}, the study in {unit}",
                    key="outputs.units",
                    value=unit,
                    remedy="remove one of them",
                )
            found[name] = replace(known, unit=known.unit or unit)
        return found

    def grid(self) -> np.ndarray | None:
        """Times of the histories, shape (points,) [s]: those that are asked for until it is known which of them the model has."""
        return grid_of(self) if self.settled is None else self.settled

    def settle(self, time: np.ndarray | None) -> None:
        """Let `time` be the times of the histories: those of runs that are there, or that the model was seen to have; None: not known."""
        self.settled = time

    def run(
        self,
        *,
        workers: int | None = None,
        out: str | Path | None = None,
        cluster: Any = None,
        overwrite: bool | str = False,
        progress: bool | None = None,
        report: bool = True,
    ) -> Result | Results:
        """Run what is missing and return the result; all of it is kept in ``results/<name>`` or `out`, with a report.

        A finished result of the same study is returned as it is; a line on the standard error stream says so, and when it was made. A study
        of several methods returns the results of each by its label.

        Parameters
        ----------
        workers : int, optional
            Processes, instead of ``campaign.workers``.
        cluster : str, distributed.Client or cluster, optional
            Where the runs are done instead: the address of a Dask scheduler (or its ``scheduler.json``), a client, or a cluster object
            that a client takes (``LocalCluster``, ``SLURMCluster``, ``KubeCluster``). It stays as it is. Workers may come late, leave, and
            be replaced.
        overwrite : bool or "if_changed"
            Discard the results in the same place: True always, ``"if_changed"`` only when they are of another model, or of other solver
            settings or times; else they are used. False refuses to touch those of another model.
        progress : bool, optional
            On a terminal and in a notebook there is a bar, elsewhere a line every ten seconds, or two if True. False: nothing.
        report : bool
            Write ``report.html`` beside the result, as the command does, unless it is there already. `uqmbd.write_report` writes its
            figures as PNG files too.
        """
        from uqmbd.study.reporting import write_reports
        from uqmbd.study.running_methods import run_methods

        try:
            done = run_methods(self, workers=workers, out=out, scheduler=cluster, overwrite=overwrite, progress=progress)
        except StudyError as error:
            raise error.with_traceback(None) from error.__cause__  # the way through this package says nothing to who reads the sentence
        for one in done.values():
            if one.tally is None:
                say(f"uqmbd: result of {one.date} reused ({near(one.directory)})", err=True)
        if report:
            write_reports(done)
        if len(done) == 1:
            return next(iter(done.values())).result
        from uqmbd.results import Results

        return Results({label: one.result for label, one in done.items()})

    def check(self, *, patience: float = 60.0) -> Cost:
        """Build the model once and estimate what the study costs; trial runs that are not done after `patience` seconds are left.

        Of several methods each needs what is said of it as if it had no runs of the others to use.
        """
        from uqmbd.study.cost import estimate

        return estimate(self, patience=patience)


def check_inputs(inputs: Mapping[str, Input], *, optional: bool = False) -> dict[str, Input]:
    """Inputs by name, each of them an `Input` and a possible keyword argument."""
    if not isinstance(inputs, Mapping) or not (inputs or optional):
        raise StudyError("a study needs at least one input", key="inputs", remedy="add one: [inputs.name] with interval = [lower, upper]")
    inputs = given(inputs)
    for name, item in inputs.items():
        each = names_in(name) if isinstance(name, str) and getattr(item, "count", 1) > 1 else [name]
        if not all(isinstance(one, str) and one.isidentifier() and one != "time" for one in each):
            raise StudyError(
                "an input's name has to be a Python name, and not `time`", key=f"inputs.{name}", remedy="use letters, digits and _"
            )
        check_kind(item, Input, f"inputs.{name}", "uqmbd.Interval(lower, upper) or uqmbd.Random({...})")
    return inputs


def check_outputs(outputs: Sequence[str]) -> list[str]:
    """Names of the outputs: some, all different, fit to be variables of a dataset."""
    if isinstance(outputs, str) or not all(isinstance(name, str) for name in outputs):
        raise StudyError(
            "outputs are a list of names", key="outputs.include", value=outputs, remedy='write ["slider.x", "B.force:max"], say'
        )
    if not outputs:
        raise StudyError("a study needs at least one output", key="outputs.include", value=[], remedy="name one")
    for name in outputs:
        base = name.partition(":")[0]
        if not base.strip() or "/" in name or "\\" in name or base.startswith(".") or not name.isprintable():
            remedy = "rename it: no slash, no dot at its beginning, no line break"
            raise StudyError("an output cannot have this name", key="outputs.include", value=name, remedy=remedy)
        if base in TAKEN or name in DIMENSIONS:
            text = f"an output cannot have this name, which results have a use for: {', '.join(sorted(TAKEN | DIMENSIONS))}"
            raise StudyError(text, key="outputs.include", value=name, remedy="rename it in the model")
        if list(outputs).count(name) > 1:
            raise StudyError("the output is named twice", key="outputs.include", value=name, remedy="name it once")
    return list(outputs)


def filled_in(study: Study) -> list[str]:
    """The outputs of a study, those with ``*`` or ``?`` as the outputs that its model has; what is reduced has to be over something."""
    from uqmbd.study.available import outputs_of

    available, found = outputs_of(study), []
    for name in study.outputs:
        fit = (each for each, info in available.items() if info.axis is not None or ":" not in name)
        found += matching([name], [each for each in fit if each not in TAKEN | DIMENSIONS])
    return list(dict.fromkeys(found))


def check_units(units: Mapping[str, str], outputs: Sequence[str]) -> dict[str, str]:
    """Units by names of outputs, or of what is reduced in them."""
    names = [*outputs, *(name.partition(":")[0] for name in outputs)]
    for name, unit in units.items():
        if name not in names:
            raise StudyError(
                f"'{name}' is none of outputs.include", key="outputs.units", value=unit, remedy=did_you_mean(name, names, noun="output")
            )
        check_kind(unit, str, f"outputs.units.{name}", 'a unit as text, such as "N"')
    return dict(units)


def check_kind(value: Any, kind: Any, key: str, wanted: str) -> Any:
    """`value` if it is of `kind`."""
    if not isinstance(value, kind):
        raise StudyError(f"expected {wanted}", key=key, value=value)
    return value


def check_name(name: str) -> str:
    """A study's name, which is the name of a directory."""
    if not re.fullmatch(r"[\w][\w.\- ]*", name):
        raise StudyError(
            "a study's name is also a directory", key="study.name", value=name, remedy="use letters, digits, dots, dashes and underscores"
        )
    return name


def unknown_key(key: str, known: Sequence[str], value: Any) -> StudyError:
    """The error for a key that nobody reads."""
    return StudyError(f"there is no key '{key}' here", key=key, value=value, remedy=did_you_mean(key, known, noun="key"))
