"""A study: model, times, inputs, outputs, method, and how to run them."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, Unpack

import numpy as np

from uqmbd.doors import find
from uqmbd.errors import StudyError
from uqmbd.groups import DIMENSIONS
from uqmbd.outcomes import OutputInfo
from uqmbd.printing import near, say
from uqmbd.simulators.model import Model
from uqmbd.simulators.windows import asked, matching
from uqmbd.spec import StudySpec
from uqmbd.spec.building import Given, spec_of
from uqmbd.spec.checks import TAKEN
from uqmbd.spec.reading import read_spec, read_toml, remedy_for, value_at
from uqmbd.spec.showing import field_functions
from uqmbd.study.times import grid_of

if TYPE_CHECKING:
    from uqmbd.result import Result
    from uqmbd.results import Results
    from uqmbd.study.cost import Cost


T = TypeVar("T")


class View(Generic[T]):
    """What a study says, read from its spec."""

    def __init__(self, read: Callable[[Study], T]) -> None:
        self.read = read

    def __get__(self, study: Study, kind: type) -> T:
        return self.read(study)


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

    def __init__(self, **given: Unpack[Given]) -> None:
        vars(self).update(spec=spec_of(**given), file=None)

    spec: StudySpec
    file: Path | None

    @classmethod
    def of(cls, spec: StudySpec, file: Path | None = None) -> Self:
        """The study that a spec asks, which was read from `file`."""
        found = cls.__new__(cls)
        vars(found).update(spec=spec, file=file)
        return found

    def changed(self, **sections: Any) -> Self:
        """The study with other sections of its `StudySpec`; a model that is loaded is taken over."""
        found = type(self).of(self.asked.changed(**sections), self.file)
        same = found.spec.study is self.spec.study and found.campaign.timeout == self.campaign.timeout
        kept = [*(["model"] if same else []), *(["field_functions"] if found.spec.report is self.asked.report else [])]
        vars(found).update({name: vars(self)[name] for name in kept if name in vars(self)})
        return found

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read a study file, and load its model."""
        path = Path(path)
        document = read_toml(path)
        try:
            return cls.of(read_spec(document, path.resolve()), path.resolve()).loaded()
        except StudyError as error:
            raise error.at(file=path, value=value_at(document, error.key), remedy=remedy_for(document, error)) from error.__cause__

    def loaded(self) -> Self:
        """The study, with all that is code loaded, so that mistakes in it show; else it is loaded when it is needed."""
        _ = self.model, self.asked, self.field_functions
        for name in self.report.figures:
            if not name.startswith("<"):
                find(name, {}, "figure", key="report.figures")
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "settled":
            raise AttributeError(f"a study is not changed; make another: study.changed({name}=...)")
        vars(self)[name] = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Study) and self.spec == other.spec

    def __hash__(self) -> int:
        return hash(self.spec)

    @cached_property
    def asked(self) -> StudySpec:
        """The spec with the outputs that the model has in place of those with ``*`` or ``?``."""
        if not self.spec.has_patterns:
            return self.spec
        return self.spec.changed(outputs=self.spec.outputs.model_copy(update={"include": filled_in(self)}))

    @cached_property
    def model(self) -> Model:
        """The model; its file is executed here, at first use."""
        return replace(self.spec.study.load(self.campaign.timeout), derived=self.spec.derived)

    @cached_property
    def field_functions(self) -> list[Model]:
        """The functions of the report's fields."""
        return field_functions(self.spec.report, self.spec.study.directory)

    inputs = View(lambda study: study.spec.space)
    outputs = View(lambda study: study.asked.outputs.include)
    units = View(lambda study: study.asked.outputs.units)
    methods = View(lambda study: study.spec.method)
    method = View(lambda study: next(iter(study.spec.method.values())))  # the first, of several
    time = View(lambda study: study.spec.time)
    solver = View(lambda study: study.spec.solver)
    campaign = View(lambda study: study.spec.campaign)
    report = View(lambda study: study.asked.report)
    name = View(lambda study: study.spec.name)
    title = View(lambda study: study.spec.study.title)
    description = View(lambda study: study.spec.study.description)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name} {item.describe()}" for name, item in self.inputs.items())
        asked = f"inputs {inputs}; outputs {', '.join(self.spec.outputs.include)}"
        return f"<Study {self.name}: {self.spec.study.label}, {', '.join(self.methods)}; {asked}>"

    def _repr_html_(self) -> str:
        """For notebooks: what is asked, and the inputs as a table."""
        inputs = {name: html.escape(item.describe()) for name, item in self.inputs.items()}
        rows = "".join(f"<tr><td>{name}</td><td>{text}</td></tr>" for name, text in inputs.items())
        methods = ", ".join(one if one == kind.name else f"{one} ({kind.name})" for one, kind in self.methods.items())
        facts = {"model": self.spec.study.label, "method": methods, "outputs": ", ".join(self.spec.outputs.include)}
        words = "".join(f"<br>{key}: {html.escape(text)}" for key, text in facts.items())
        head = f"<p><b>{html.escape(self.title or self.name)}</b>{words}</p>"
        return f"{head}<table><thead><tr><th>input</th><th>value</th></tr></thead><tbody>{rows}</tbody></table>"

    def said(self) -> dict[str, Any]:
        """What a result says of its study in words, which change no number: name, title, description, inputs as they were written."""
        return {"study": self.name, **self.spec.words(), "inputs": self.inputs.described()}

    def words(self) -> dict[str, str]:
        """Title and description, if the study has them."""
        return self.spec.words()

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

    @property
    def times(self) -> np.ndarray:
        """As `grid`; empty where the study has no times."""
        found = self.grid()
        return np.zeros(0) if found is None else found

    def settle(self, time: np.ndarray | None) -> None:
        """Let `time` be the times of the histories: those of runs that are there, or that the model was seen to have; None: not known."""
        vars(self)["settled"] = time

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


def filled_in(study: Study) -> list[str]:
    """The outputs of a study, those with ``*`` or ``?`` as the outputs that its model has; what is reduced has to be over something."""
    from uqmbd.study.available import outputs_of

    available, found = outputs_of(study), []
    for name in study.spec.outputs.include:
        fit = (each for each, info in available.items() if info.axis is not None or ":" not in name)
        found += matching([name], [each for each in fit if each not in TAKEN | DIMENSIONS])
    return list(dict.fromkeys(found))
