"""Results: labelled arrays, a folder of files, tables, figures. The groups are described in ``docs/architecture.md``."""

from __future__ import annotations

import html
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xarray as xr

from uqmbd.analysis.statistics.trust import gap_between
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.facts import Facts
from uqmbd.gathered import gathered, of_numpy
from uqmbd.lean_xarray import ask_only_what_is_imported
from uqmbd.result_store import FORMAT, manifest_in, motion_in, opened_root, read_groups
from uqmbd.runs.files import replacing, safe_names
from uqmbd.runs.listing import ROOT, list_files, unlist
from uqmbd.sealing import seal

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from uqmbd.figures.frames import Frame
    from uqmbd.surrogates.asked import KeptSurrogate


if "uqmbd.cli" in sys.modules:  # in a process of the command: xarray in a user's own process is left as it is
    ask_only_what_is_imported()
SHOWN = 6  # outputs that a `repr` names


@dataclass(repr=False)
class Result:
    """What a study found. Each group is a Dataset with one variable per output (``"slider.x"``, ``"B.force:max"``).

    A group that the method does not have is empty. Below, ``time`` stands for whatever an output is over: the study's times, or the axis of
    its own that a `Curve` has.

    Attributes
    ----------
    bounds, inner : Dataset
        [``alpha`` x] ``bound`` (lower, upper) [x time]: outer bounds, and what runs really reached; unit of the output. Fuzzy inputs give
        bounds for each membership ``alpha``.
    error : Dataset
        [time]: validated error of the surrogate, and that of a fixed step, unit of the output.
    step_error : Dataset
        [time]: the error of a fixed step in time, by halving it in a few runs, unit of the output; only where the simulator has one.
    trusted : Dataset
        [time]: whether the error is below its tolerance, as a share of the output's range and of the band's width. Nowhere where runs
        diverged, or the simulator says that an output is not to be relied on; its attribute ``why`` says what took the trust away.
    source : Dataset
        [``alpha`` x] [time]: where the outer bounds come from, 0 (`ENCLOSED`): the range of the surrogate, widened by its error; 1
        (`SEARCHED`): a search.
    trust_horizon : Dataset
        Of histories only: time from which trust stays lost, s; infinite if it holds at the end.
    regions, regions_inner : Dataset
        ``region`` x ``bound`` [x time]: outer bounds of each kind of runs, and what its runs reached, where a `sequence` tells kinds apart.
        ``region`` is the value of the sequence; along it ``share`` of the box, its 95 % limits ``share_lower`` and ``share_upper``,
        ``runs``, and ``searched``: False of a kind that fresh runs alone have.
    regions_trusted : Dataset
        ``region`` [x time]: whether the error of these bounds is below its tolerance.
    leaves : Dataset
        Chebyshev with `split`, scalars only: ``leaf`` x ``part`` (lower, upper, error, trusted): bounds in each part of the box, its
        validated error, and 1 where that is below the tolerance. Along ``leaf`` its ends ``lower:<input>`` and ``upper:<input>``, SI.
    worst : Dataset
        ``bound`` x ``input`` [x time]: inputs, in SI, of the run that reached each bound of `inner`.
    extreme_runs : Dataset
        ``case`` (nominal, lower, upper) [x time]: the run in the middle of the inputs, and those that reached the lowest lower and the
        highest upper bound of this output, each whole; NaN where a run fails. Attributes ``inputs`` (of each case, SI), and of histories
        ``reached``: when the bounds were reached, s. Only where there is `worst`; studies fill it, methods do not.
    validation : Dataset
        Surrogate methods: ``check`` x ``column`` (run, surrogate) of scalars, ``history_check`` x ``column`` x time of histories, of which
        some checks and times are kept (attribute ``thinned``): value of the runs that were not fitted, and of the surrogate there. Checks
        are numbered as runs are; attributes ``checks``, ``largest_error``, ``largest_error_run``.
    statistics : Dataset
        [``alpha`` x] ``statistic`` [x ``bound``] [x time]: mean, std, min, max, q05 ..., and 95 % confidence limits as mean_lower,
        mean_upper ... Random and interval inputs together give bounds of each statistic, fuzzy ones bounds for each membership ``alpha``.
    sensitivity : Dataset
        ``kind`` x ``input`` [x time].
    aggregated : Dataset
        ``kind`` x ``input``: sensitivities of histories over all times, weighted with the variance.
    interaction : Dataset
        ``pair`` [x time]: Sobol' indices of second order, labelled ``"a*b"``.
    cdf : Dataset
        Of scalars only: [``alpha`` x] ``level`` x ``column`` (value, lower, upper): probability that the output is at most the value; the
        two limits are equal unless the probability is imprecise.
    convergence : Dataset
        ``count`` x ``statistic``: statistics by number of runs; of a history their largest absolute value over time.
    surrogates : Dataset
        [``part`` x] ``term`` [x time]: coefficients of the surrogate of each output, of Kriging its runs; `Result.surrogate` evaluates it.
    runs : Dataset
        ``run`` [x time]: inputs as ``input:<name>``, outputs, status, message; kept beside the result, read when looked at.
    fields : Dataset
        Arrays over one or two dimensions of their own that functions of ``[report]`` made of one run; ``attrs["inputs"]`` of it says at
        which inputs.
    attrs : dict
        Everything that the result says of itself, as it is stored; `facts` are those that every result has, typed.
    manifest : dict
        What it was made with: model and its files, packages, machine, command, times, git commit; as in ``manifest.json`` of its
        folder. Empty unless a study was run.
    motion : dict
        The mechanism moving, as ``motion.json`` of the folder has it (`uqmbd.report.motion`); empty where there is none.
    trust : bool
        Whether code that the result names, the figures of its study's own, may be executed: not of one that was opened, unless its reader
        says so.

    Examples
    --------
    >>> import uqmbd as uq
    >>> study = uq.Study(model=lambda a: {"y": a**2}, inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["y"], method=uq.Vertex(), name="y")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> result.bounds["y"].values.tolist(), bool(result.trusted["y"])
    ([1.0, 4.0], True)
    """

    bounds: xr.Dataset = field(default_factory=xr.Dataset)
    inner: xr.Dataset = field(default_factory=xr.Dataset)
    error: xr.Dataset = field(default_factory=xr.Dataset)
    step_error: xr.Dataset = field(default_factory=xr.Dataset)
    trusted: xr.Dataset = field(default_factory=xr.Dataset)
    source: xr.Dataset = field(default_factory=xr.Dataset)
    trust_horizon: xr.Dataset = field(default_factory=xr.Dataset)
    regions: xr.Dataset = field(default_factory=xr.Dataset)
    regions_inner: xr.Dataset = field(default_factory=xr.Dataset)
    regions_trusted: xr.Dataset = field(default_factory=xr.Dataset)
    leaves: xr.Dataset = field(default_factory=xr.Dataset)
    worst: xr.Dataset = field(default_factory=xr.Dataset)
    extreme_runs: xr.Dataset = field(default_factory=xr.Dataset)
    validation: xr.Dataset = field(default_factory=xr.Dataset)
    statistics: xr.Dataset = field(default_factory=xr.Dataset)
    sensitivity: xr.Dataset = field(default_factory=xr.Dataset)
    aggregated: xr.Dataset = field(default_factory=xr.Dataset)
    interaction: xr.Dataset = field(default_factory=xr.Dataset)
    cdf: xr.Dataset = field(default_factory=xr.Dataset)
    convergence: xr.Dataset = field(default_factory=xr.Dataset)
    surrogates: xr.Dataset = field(default_factory=xr.Dataset)
    runs: xr.Dataset = field(default_factory=xr.Dataset)
    fields: xr.Dataset = field(default_factory=xr.Dataset)
    attrs: dict[str, Any] = field(default_factory=dict)
    manifest: dict[str, Any] = field(default_factory=dict)
    motion: dict[str, Any] = field(default_factory=dict)
    trust: bool = True

    def __repr__(self) -> str:
        facts = self.facts
        counts = "" if facts.runs is None else f"{facts.runs:,} runs, "
        known = ", ".join(name for name, group in self.groups() if group.data_vars)
        names = self.outputs
        shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
        return f"<Result of {facts.study or 'unknown'} ({facts.method or 'unknown'}): {counts}{shown}; groups: {known}>"

    def _repr_html_(self) -> str:
        """For notebooks: the line of `repr`, and the scalar outputs."""
        table = self.table()
        return f"<p>{html.escape(repr(self))}</p>" + (table.to_html() if len(table) else "")

    def __getattr__(self, name: str) -> Any:
        """Runs that are opened when they are first looked at."""
        if name != "runs" or "_open" not in self.__dict__:
            raise AttributeError(f"a Result has no attribute '{name}'", name=name, obj=self)
        self.runs = self._open()
        return self.runs

    def groups(self) -> Iterator[tuple[str, xr.Dataset]]:
        """Name and Dataset of every group that is computed from the runs, empty ones included."""
        for item in fields(self):
            if item.name not in ("surrogates", "runs", "fields", "attrs", "manifest", "motion", "trust"):
                yield item.name, getattr(self, item.name)

    @property
    def facts(self) -> Facts:
        """Study, method, inputs with their units, numbers of runs, notes ...: what every result says of itself."""
        return Facts.of(self.attrs)

    @property
    def tree(self) -> xr.DataTree:
        """Everything as one tree, a node for each group that is there; arrays are shared with the groups, not copied.

        ``xarray.open_datatree`` reads the same from ``result.zarr``, but for the runs.
        """
        others = (("surrogates", self.surrogates), ("runs", self.runs), ("fields", self.fields))
        nodes = {name: group for name, group in (*self.groups(), *others) if len(group.data_vars)}
        return xr.DataTree.from_dict({"/": xr.Dataset(attrs=self.attrs), **nodes}, name=self.facts.study or None)

    @property
    def gap(self) -> xr.Dataset:
        """By how much the outer bounds are wider than what runs reached, over the width of that: [``alpha`` x] [time].

        Where runs reached one value only it is 0 if that is the bound as well, up to rounding, and infinite if not.
        """
        return xr.Dataset({name: gap_of(self.bounds[name], self.inner[name]) for name in self.bounds.data_vars if name in self.inner})

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs, in the order of the study."""
        return list(dict.fromkeys(str(name) for _, group in self.groups() for name in group.data_vars))

    def surrogate(self, name: str) -> KeptSurrogate:
        """The surrogate of one output, which evaluates and differentiates it again without a run, and can be saved to a file.

        Polynomials of intervals also say the range over any part of the box, Kriging its standard deviation.
        """
        from uqmbd.surrogates.opening import of_output

        self._require(name)
        if name not in self.surrogates:
            raise StudyError(
                f"there is no surrogate of '{name}' in this result",
                value=name,
                remedy="take a method that makes one, of independent inputs: chebyshev, fuzzy, pce, reliability by ak_mcs ...",
            )
        return of_output(self.surrogates, name)

    def table(self) -> pd.DataFrame:
        """Scalar outputs as a table, one row each: unit, bounds, error, trust and statistics, whichever there are.

        With membership levels ``lower`` and ``upper`` are the bounds of the lowest, ``lower_alpha_0.5`` and so on those of the others;
        imprecise statistics have two columns, ``mean_lower_bound`` and ``mean_upper_bound``, for each level as well. Printed it is
        whole, in as many blocks as the terminal's width asks for.
        """
        from uqmbd.figures.frames import scalars_table
        from uqmbd.figures.whole import WholeTable

        return WholeTable(scalars_table(self))

    def history(self, name: str) -> pd.DataFrame:
        """One output over time (s), or over another axis, as a table; columns as in `table`."""
        import pandas as pd

        from uqmbd.figures.frames import row, timed
        from uqmbd.figures.outputs import grid_of
        from uqmbd.outcomes import axis_of

        self._require(name)
        parts = timed(self, name)
        if not parts:
            raise StudyError(f"the output '{name}' is a scalar, not a history", remedy="use Result.table()")
        array = next(iter(parts.values()))
        return pd.DataFrame(row(parts), index=pd.Index(grid_of(array), name=axis_of(array.dims)))

    def tables(self) -> Iterator[Frame]:
        """Every table, as `save` writes them: scalars, histories, and those of each output in the groups from `sensitivity` on."""
        from uqmbd.figures.frames import frames

        return frames(self)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write ``result.zarr`` and ``tables`` (``*.csv``, ``*.tex``) into the folder `path`; each is replaced as a whole or not at all."""
        from uqmbd.figures.latex import latex

        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        unlist(folder, "result.zarr", "tables")
        with replacing(folder / "result.zarr") as new:
            attrs = json.loads(json.dumps(self.attrs, default=of_numpy))
            root = {"format": FORMAT, "attrs": attrs, "outputs": self.outputs, "fields": list(self.fields)}
            xr.Dataset(attrs=root).to_zarr(new, mode="w", zarr_format=3, consolidated=False)
            for key, group in (*self.groups(), ("surrogates", self.surrogates), ("fields", self.fields)):
                if len(group.data_vars):
                    gathered(storable(group)).to_zarr(new, group=key, mode="w", zarr_format=3, consolidated=False)
            seal(new)
        with replacing(folder / "tables") as new:
            new.mkdir()
            frames = list(self.tables())
            names = safe_names(frame.key for frame in frames)
            for frame in frames:
                frame.table.to_csv(new / f"{names[frame.key]}.csv")
                if len(frame.table):
                    (new / f"{names[frame.key]}.tex").write_text(latex(frame), encoding="utf-8")
        list_files(folder, ROOT, "tables")
        return folder

    def plot(self, name: str, ax: Axes | None = None) -> Figure:
        """Matplotlib figure of one output: over time, or its distribution over the runs.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where it is drawn, without its smaller panels (error, trust); its figure is returned. Else a figure of its own is made.
        """
        from uqmbd.figures import plot

        self._require(name)
        return plot(self, name, ax)

    def _require(self, name: str) -> None:
        if name not in self.outputs:
            raise StudyError(f"the result has no output '{name}'", value=name, remedy=did_you_mean(name, self.outputs, noun="output"))


def gap_of(outer: xr.DataArray, inner: xr.DataArray) -> xr.DataArray:
    """Width of `outer` less that of `inner`, over that of `inner`; see `Result.gap`."""
    ends = [array.sel(bound=end, drop=True) for array in (outer, inner) for end in ("lower", "upper")]
    return xr.apply_ufunc(gap_between, *ends).assign_attrs(unit="")


def open_results(path: str | PathLike[str], *, trust: bool = False, later: bool = False) -> Result:
    """The result in the folder `path` (the one that holds ``result.zarr``); its runs are opened but not read.

    Every file of the result is compared with its checksum; a result of an earlier version, without checksums, says so in its notes. No code
    that lies in the folder, or that it names, is executed: the figures of a study's own are drawn with `trust` only. `later`: its runs are
    opened when they are first looked at.

    Examples
    --------
    >>> import uqmbd as uq
    >>> study = uq.Study(model=lambda a: {"y": a**2}, inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["y"], method=uq.Vertex(), name="y")
    >>> uq.open_results(study.run(workers=0, report=False, progress=False).save("kept")).outputs
    ['y']
    """
    folder = Path(path)
    folder = folder.parent if folder.name == "result.zarr" else folder
    store = folder / "result.zarr"
    if not store.is_dir():
        from uqmbd.runs.where import labels_in

        remedy = "run or resume the study first, or give the folder with result.zarr"
        if labels := labels_in(folder):
            remedy = f"it holds those of several methods: give {folder / labels[0]}, say; in Python uqmbd.open_each opens all"
        raise StudyError("there is no result here", file=folder, remedy=remedy)
    root, notes = opened_root(folder, store)
    attrs = dict(root["attrs"])
    groups = read_groups(store, [*(key for key, _ in Result().groups()), "surrogates", "fields"], root)
    manifest, wrong = manifest_in(folder)
    if notes := [*notes, *filter(None, [wrong])]:
        attrs["notes"] = [*Facts.of(attrs).notes, *notes]
    from uqmbd.runs.of_results import open_runs

    if not later:
        groups["runs"] = open_runs(folder)
    found = Result(**groups, attrs=attrs, manifest=manifest, motion=motion_in(folder), trust=trust)
    if later:
        del found.runs
        found.__dict__["_open"] = partial(open_runs, folder)
    return found


def storable(group: xr.Dataset) -> xr.Dataset:
    """Text coordinates as variable-length strings, which zarr 3 has a specification for."""
    return group.assign_coords({name: coord.astype(object) for name, coord in group.coords.items() if coord.dtype.kind in "UT"})
