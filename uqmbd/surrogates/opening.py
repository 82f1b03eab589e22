"""Kept surrogates of any kind, from a result or a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import xarray as xr

from uqmbd.errors import StudyError
from uqmbd.groups import SURROGATES
from uqmbd.outcomes import TIME, Axis
from uqmbd.surrogates.kept_kriging import KeptKriging
from uqmbd.surrogates.kept_polynomial import ERROR, KeptPolynomial
from uqmbd.surrogates.kept_surrogate import FORMAT, InputAxis, KeptSurrogate

KINDS: tuple[type[KeptSurrogate], ...] = (KeptKriging, KeptPolynomial)


def open_surrogate(path: str | Path) -> KeptSurrogate:
    """The surrogate in a file that `KeptSurrogate.save` wrote.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> box = {"load": uq.Interval(90.0, 110.0, unit="N"), "stiffness": uq.Interval(1.8, 2.2, unit="kN/m")}
    >>> study = uq.Study(model=sag, inputs=box, outputs=["sag"], method=uq.Chebyshev(degree=5), name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> kept = result.surrogate("sag").save("sag.json")
    >>> surrogate = uq.open_surrogate("sag.json")
    >>> round(float(surrogate(load=100.0, stiffness=2000.0)), 5)  # m, without a run
    0.05
    """
    path = Path(path)
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StudyError("there is no such file", file=path, remedy="give a file that `save` of a surrogate wrote") from None
    except ValueError:
        table = None
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        raise StudyError("is no surrogate of uqmbd", file=path, remedy="give a file that `save` of a surrogate wrote")
    axes = tuple(map(InputAxis.of_table, table["axes"]))
    over = Axis(**table["over"]) if "over" in table else None if table["time"] is None else Axis(TIME.name, table["time"], TIME.unit)
    head = table["name"], table["unit"], axes, over, np.array(table["error"], float)
    return next(kind for kind in KINDS if kind.key in table).of_table(table, head)


def of_output(group: xr.Dataset, name: str) -> KeptSurrogate:
    """The surrogate of one output from the group `surrogates` of a result."""
    axes, named = tuple(map(InputAxis.of_table, json.loads(group.attrs["axes"]))), {kind.kind: kind for kind in KINDS}
    array, dim = group[name], next(iter(SURROGATES.axes(group[name].dims)), None)
    over = None if dim is None else Axis(dim, array[dim].values, array[dim].attrs.get("unit", ""))
    stored = group.coords[ERROR + name].values if ERROR + name in group.coords else array.attrs.get("error", [np.nan])
    error = np.array(stored)
    head = name, array.attrs.get("unit", ""), axes, over, np.asarray(error[0] if over is None else error)
    return named[group.attrs.get("kind", KeptPolynomial.kind)].of_group(group, array, head)
