"""A result as data: groups by name with what these are, attributes, facts. Tables, figures and reports are functions of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

import xarray as xr

from uqmbd.analysis.statistics.trust import gap_between
from uqmbd.analysis.statistics.widths import widths_of
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.facts import Facts
from uqmbd.groups import GroupSpec, known_specs
from uqmbd.method_facts import FromAttributes

Part = TypeVar("Part", bound=FromAttributes)
SHOWN = 6  # outputs that a `repr` names


class ResultData:
    """Groups of a result, each a Dataset: those of `uqmbd.groups`, and those that its method declares.

    A group that the method does not have is empty.

    Parameters
    ----------
    gathered : dict of str to Dataset
        Groups by name.
    specs : tuple of GroupSpec
        Groups of the method's own.
    attrs : dict
        Everything that the result says of itself, as it is stored; `facts` are those that every result has, typed.
    manifest : dict
        What it was made with: model and its files, packages, machine, command, times, git commit; as in ``manifest.json`` of its
        folder. Empty unless a study was run.
    motion : dict
        The mechanism moving, as ``motion.json`` of the folder has it (`uqmbd.report.motion`); empty where there is none.
    trust : bool
        Whether code that the result names, figures and tables of its study's own, may be executed: not of one that was opened, unless its
        reader says so.
    **groups : Dataset
        Further ones; a function without arguments is called when the group is first looked at.

    Attributes
    ----------
    folder : Path or None
        Where it was saved, or opened.
    """

    bounds: xr.Dataset
    inner: xr.Dataset
    error: xr.Dataset
    step_error: xr.Dataset
    trusted: xr.Dataset
    source: xr.Dataset
    trust_horizon: xr.Dataset
    regions: xr.Dataset
    regions_inner: xr.Dataset
    regions_trusted: xr.Dataset
    leaves: xr.Dataset
    worst: xr.Dataset
    extreme_runs: xr.Dataset
    validation: xr.Dataset
    statistics: xr.Dataset
    sensitivity: xr.Dataset
    missing: xr.Dataset
    aggregated: xr.Dataset
    interaction: xr.Dataset
    cdf: xr.Dataset
    convergence: xr.Dataset
    surrogates: xr.Dataset
    runs: xr.Dataset
    fields: xr.Dataset

    def __init__(
        self,
        gathered: Mapping[str, xr.Dataset] | None = None,
        /,
        *,
        specs: Iterable[GroupSpec] = (),
        attrs: dict[str, Any] | None = None,
        manifest: dict[str, Any] | None = None,
        motion: dict[str, Any] | None = None,
        trust: bool = True,
        **groups: xr.Dataset | Callable[[], xr.Dataset],
    ) -> None:
        self.specs = known_specs(specs)
        self._groups = {**(gathered or {}), **groups}
        self.attrs = {} if attrs is None else attrs
        self.manifest = {} if manifest is None else manifest
        self.motion = {} if motion is None else motion
        self.trust = trust
        self.folder: Path | None = None
        for name in self._groups:
            self._require_group(name)

    def __repr__(self) -> str:
        facts = self.facts
        counts = "" if facts.runs is None else f"{facts.runs:,} runs, "
        known = ", ".join(name for name, group in self.groups() if group.data_vars)
        names = self.outputs
        shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
        return f"<Result of {facts.study or 'unknown'} ({facts.method or 'unknown'}): {counts}{shown}; groups: {known}>"

    # groups -----------------------------------------------------------------------------------------------------------------------------
    def __getitem__(self, name: str) -> xr.Dataset:
        """A group, empty if the method does not have it."""
        self._require_group(name)
        group = self._groups.get(name)
        if group is None or not isinstance(group, xr.Dataset):
            group = self._groups[name] = xr.Dataset() if group is None else group()
        return group

    def __setitem__(self, name: str, group: xr.Dataset) -> None:
        self._require_group(name)
        self._groups[name] = group

    def __getattr__(self, name: str) -> Any:
        """``result.bounds`` is ``result["bounds"]``."""
        if name.startswith("_") or name not in self.__dict__.get("specs", ()):
            raise AttributeError(f"a Result has no attribute '{name}'", name=name, obj=self)
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__.get("specs", ()):
            self[name] = value
        else:
            object.__setattr__(self, name, value)

    def groups(self) -> Iterator[tuple[str, xr.Dataset]]:
        """Name and Dataset of every group of outputs, empty ones included."""
        return ((name, self[name]) for name, spec in self.specs.items() if spec.per_output)

    def kept_groups(self) -> Iterator[tuple[str, xr.Dataset]]:
        """Name and Dataset of every group that is there, and that the result itself keeps: all but the runs."""
        return ((name, self[name]) for name in self.specs if name != "runs" and self[name].data_vars)

    def replaced(self, **changes: Any) -> Self:
        """The same result with other groups, or `attrs`, `manifest`, `motion`, `trust`; everything else is shared."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, _groups=dict(self._groups))
        for name, value in changes.items():
            setattr(copy, name, value)
        return copy

    @property
    def tree(self) -> xr.DataTree:
        """Everything as one tree, a node for each group that is there; arrays are shared with the groups, not copied.

        ``xarray.open_datatree`` reads the same from ``result.zarr``, but for the runs.
        """
        runs = {"runs": self.runs} if len(self.runs.data_vars) else {}
        return xr.DataTree.from_dict({"/": xr.Dataset(attrs=self.attrs), **dict(self.kept_groups()), **runs}, name=self.facts.study or None)

    # outputs ----------------------------------------------------------------------------------------------------------------------------
    @property
    def outputs(self) -> list[str]:
        """Names of the outputs, in the order of the study."""
        return list(dict.fromkeys(str(name) for _, group in self.groups() for name in group.data_vars))

    def axes_of(self, output: str) -> tuple[str, ...]:
        """What an output is over: ``("time",)``, ``("frequency",)``; empty for a number."""
        return next((axes for name, spec in self.specs.items() if spec.per_output and (axes := self._axes_in(name, output))), ())

    def axis_of(self, output: str, group: str | None = None) -> str | None:
        """The first axis of an output, or that over which a group has it; None for one number."""
        return next(iter(self.axes_of(output) if group is None else self._axes_in(group, output)), None)

    def _axes_in(self, group: str, output: str) -> tuple[str, ...]:
        known = self[group].variables
        return self.specs[group].axes(known[output].dims) if output in known else ()

    @property
    def facts(self) -> Facts:
        """Study, method, inputs with their units, numbers of runs, notes ...: what every result says of itself."""
        return Facts.of(self.attrs)

    def facts_of(self, kind: type[Part]) -> Part:
        """What the result says of itself beyond `facts`, typed: `uqmbd.method_facts`, or a class of a plug-in's own."""
        return kind.of(self.attrs)

    @property
    def gap(self) -> xr.Dataset:
        """By how much the outer bounds are wider than what runs reached, over the width of that: [``alpha`` x] [time].

        Where runs reached one value only it is 0 if that is the bound as well, up to rounding, and infinite if not.
        """
        return xr.Dataset({name: gap_of(self.bounds[name], self.inner[name]) for name in self.bounds.data_vars if name in self.inner})

    @property
    def widths(self) -> xr.Dataset:
        """How wide the bands of histories and curves are: ``band`` x ``measure``.

        Bands are ``bounds`` (of the lowest membership level), ``inner`` (what runs reached), each statistic that has bounds, by its name,
        and else ``q05 to q95``. Measures are ``largest`` and ``mean`` width, in the unit of the output, ``at``: where on the axis the
        largest one is, and ``trusted``: the share of the points at which the output is.

        Examples
        --------
        >>> import numpy as np, uqmbd as uq
        >>> def decay(rate, time):
        ...     return {"u": np.exp(-rate * time)}
        >>> time = uq.TimeGrid(end=1.0, points=101)
        >>> study = uq.Study(model=decay, inputs={"rate": uq.Interval(1.0, 2.0)}, outputs=["u"], method=uq.Chebyshev(degree=8), time=time)
        >>> width = study.run(workers=0, report=False, progress=False).widths["u"].sel(band="bounds")
        >>> {str(x): round(float(width.sel(measure=x)), 3) for x in ("largest", "at", "mean")}  # 1/4, at log 2
        {'largest': 0.25, 'at': 0.69, 'mean': 0.2}
        """
        return widths_of(self.__getitem__, self.axis_of)

    def require_output(self, name: str) -> None:
        """Raise `StudyError` unless it is an output of the result."""
        if name not in self.outputs:
            raise StudyError(f"the result has no output '{name}'", value=name, remedy=did_you_mean(name, self.outputs, noun="output"))

    def _require_group(self, name: str) -> None:
        if name not in self.specs:
            remedy = f"{did_you_mean(name, self.specs, noun='group')} Declare one of your own: Result(specs=(GroupSpec(...),))"
            raise StudyError(f"a result has no group '{name}'", key="groups", value=name, remedy=remedy)


def gap_of(outer: xr.DataArray, inner: xr.DataArray) -> xr.DataArray:
    """Width of `outer` less that of `inner`, over that of `inner`; see `ResultData.gap`."""
    ends = [array.sel(bound=end, drop=True) for array in (outer, inner) for end in ("lower", "upper")]
    return xr.apply_ufunc(gap_between, *ends).assign_attrs(unit="")
