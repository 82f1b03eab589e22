"""A study: model, times, inputs, outputs, method, and how to run them."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from uqmbd.errors import StudyError
from uqmbd.groups import DIMENSIONS
from uqmbd.methods import Method
from uqmbd.printing import near, say
from uqmbd.simulators.windows import matching
from uqmbd.spec import StudySpec
from uqmbd.spec.building import Given, spec_of
from uqmbd.spec.checks import TAKEN
from uqmbd.spec.reading import read_spec, read_toml, remedy_for, value_at
from uqmbd.study.data import StudyData

if TYPE_CHECKING:
    from uqmbd.result import Result
    from uqmbd.results import Results
    from uqmbd.study.cost import Cost


class Study(StudyData):
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
    sections : dict of str to Section or dict, optional
        Poincaré sections of a mechanism by name; their points are outputs ``name.output``, see ``docs/models.md``.
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

    def __init__(
        self,
        *,
        inputs: Mapping[Any, Any],
        outputs: Sequence[str],
        method: Method | Sequence[Method] | Mapping[str, Method],
        **given: Unpack[Given],
    ) -> None:
        vars(self).update(spec=spec_of(inputs=inputs, outputs=outputs, method=method, **given), file=None)

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read a study file, and load its model."""
        path = Path(path)
        document = read_toml(path)
        try:
            return cls.of(read_spec(document, path.resolve()), path.resolve()).loaded()
        except StudyError as error:
            raise error.at(file=path, value=value_at(document, error.key), remedy=remedy_for(document, error)) from error.__cause__

    @cached_property
    def asked(self) -> StudySpec:
        """The spec with the outputs that the model has in place of those with ``*`` or ``?``."""
        if not self.spec.has_patterns:
            return self.spec
        return self.spec.changed(outputs=self.spec.outputs.model_copy(update={"include": filled_in(self)}))

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

    available, names = outputs_of(study), []
    for name in study.spec.outputs.include:
        fit = (each for each, info in available.items() if info.axis is not None or ":" not in name)
        names += matching([name], [each for each in fit if each not in TAKEN | DIMENSIONS])
    return list(dict.fromkeys(names))
