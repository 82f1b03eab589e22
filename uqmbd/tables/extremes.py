"""The least and the greatest of an output, and where a history misses its own peaks."""

from __future__ import annotations

from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import listed, output_names
from uqmbd.tables.scaling import ends_of

FINER = 1e-3  # of the range: an extreme this far beyond its history was between two times


def finer_extremes(result: ResultData) -> str:
    """A sentence on extremes such as ``B.force:max`` that go beyond their history, which has only the times of the study's grid."""
    histories, scalars = output_names(result)
    groups = [group for group in (result.inner, result.bounds) if group.data_vars]  # outer bounds are widened, each by its own error
    beyond = []
    for name in scalars:
        base, _, reduction = name.partition(":")
        if not reduction:
            continue
        group = next((group for group in groups if base in histories and base in group and name in group), None)
        if group is None or reduction not in ("max", "min", "abs_max"):
            continue
        lower, upper = ends_of(group, base)
        largest = {"max": upper, "min": -lower, "abs_max": max(-lower, upper)}[reduction]
        own = ends_of(group, name)
        if (-own[0] if reduction == "min" else own[1]) > largest + FINER * max(upper - lower, 0.0):
            beyond.append(name)
    if not beyond:
        return ""
    points = result.runs.sizes.get("time", 0)
    grid = f"the {points} times of the study" if points else "the times of the study"
    are = "are" if len(beyond) > 1 else "is"
    return f"{listed(beyond)} {are} taken from every step of the solver, the histories from {grid}: they miss peaks in between."
