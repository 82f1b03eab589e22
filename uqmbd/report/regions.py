"""The table of the kinds of runs: how much of the box each has, and its bounds."""

import numpy as np

from uqmbd.method_facts import Kinds
from uqmbd.result_data import ResultData
from uqmbd.tables.numbers import apart
from uqmbd.tables.outputs import chosen, output_names
from uqmbd.tables.scaling import scale_of
from uqmbd.tables.text import Table, only
from uqmbd.tables.trust import percent


def regions_table(result: ResultData) -> Table:
    """A row for each kind of runs: share of the box with its limits, runs, and the bounds of every scalar."""
    groups, sequence = result.regions, Kinds.of(result.regions.attrs).sequence
    every = [name for name in output_names(result)[1] if name in groups and name != sequence]
    names = chosen(result, every)
    if not groups.data_vars:
        return Table("Regions", (), (), ())
    scales = {name: scale_of(result, name) for name in names}
    ends = {name: scales[name].of(groups[name].sel(bound=["lower", "upper"]).values) for name in names}
    texts = {name: np.reshape(apart(*ends[name].ravel()), ends[name].shape) for name in names}
    trusted = {name: result.regions_trusted[name].values for name in names}
    rows = []
    for k, value in enumerate(groups["region"].values):
        share, low, high = (percent(float(groups[key].values[k])) for key in ("share", "share_lower", "share_upper"))
        cells = (" to ".join(dict.fromkeys(texts[name][k])) + ("" if trusted[name][k] else "*") for name in names)
        rows.append((str(value), share, f"{low} to {high}", str(groups["runs"].values[k]), *cells))
    header = (sequence, "share of the box", "95 % limits", "runs", *(_head(name, scales) for name in names))
    note = "Outer bounds of each kind of runs. Shares are those of the fresh runs."
    if not all(each.all() for each in trusted.values()):
        note = f"{note} *: not trusted."
    if not groups["searched"].values.all():
        alone = ", ".join(str(value) for value in groups["region"].values[~groups["searched"].values])
        note = f"{note} Known from fresh runs alone, and not widened: {alone}."
    note = f"{note} {only(names, every)}".strip()
    return Table("Regions", header, tuple(rows), (False, *(True,) * (len(header) - 1)), note)


def _head(name: str, scales) -> str:
    unit = scales[name].unit
    return f"{name} [{unit}]" if unit else name
