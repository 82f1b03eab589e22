"""A kept Kriging: evaluated, differentiated and asked for its standard deviation again without a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.inputs.space import Space
from uqmbd.surrogates.kept_polynomial import group_of
from uqmbd.surrogates.kept_surrogate import SCORES, Head, InputAxis, KeptSurrogate, curved
from uqmbd.surrogates.kriging import Kriging

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, repr=False)
class KeptKriging(KeptSurrogate):
    """Kriging of one output. It meets its runs; between them `std` says how far it may be off."""

    kind: ClassVar[str] = "kriging"
    key: ClassVar[str] = "kriging"

    points: np.ndarray  # (n, d): coordinates of the runs
    values: np.ndarray  # (n,) or (n, points), unit of the output
    lengths: np.ndarray  # (d,): distances over which values are alike
    kernel: str  # this and the next: see `uqmbd.surrogates.kriging.Kriging`
    trend: str

    def std(self, /, **inputs: Any) -> np.ndarray:
        """Standard deviation of the prediction, unit of the output; inputs, shape and NaN as of a call."""
        points, _, shape = self._points(inputs)
        return self._at_known(lambda points: self._shaped(self._model.std(points)), points, shape)

    @classmethod
    def of_table(cls, table: Mapping[str, Any], head: Head) -> KeptKriging:
        entry = table["kriging"]
        points, values, lengths = (np.array(entry[key], float) for key in ("points", "values", "lengths"))
        return cls(*head, points, values, lengths, entry["kernel"], entry["trend"])

    @classmethod
    def of_group(cls, group: xr.Dataset, array: xr.DataArray, head: Head) -> KeptKriging:
        about = array.attrs
        return cls(*head, group["coordinate"].values, array.values, np.array(about["lengths"]), about["kernel"], about["trend"])

    @cached_property
    def _model(self) -> Kriging:
        return Kriging.known(self.points, self.values, self.lengths, kernel=self.kernel, trend=self.trend)

    def _shaped(self, values: np.ndarray) -> np.ndarray:
        return values if self.values.ndim > 1 else values[:, 0]

    def _values(self, points: np.ndarray) -> np.ndarray:
        return self._shaped(self._model.evaluate(points))

    def _slope(self, points: np.ndarray, i: int) -> np.ndarray:
        return self._shaped(self._model.gradient(points)[:, i])

    def _fitted(self) -> tuple[Kriging, np.ndarray]:
        return self._model, np.zeros(self._model.count)

    def _table(self) -> dict[str, Any]:
        numbers = {key: getattr(self, key).tolist() for key in ("points", "values", "lengths")}
        return {"kriging": numbers | {"kernel": self.kernel, "trend": self.trend}}


# with a result ----------------------------------------------------------------------------------------------------------------------------
def normal_axes(inputs: Space) -> Sequence[InputAxis] | None:
    """Inputs with their normal scores as coordinates; None where one has a few values only, or they depend on each other."""
    axes = [axis for name, item in inputs.items() if (axis := curved(name, item, SCORES)) is not None]
    return None if inputs.dependence is not None or len(axes) < len(inputs) else axes


def kept(
    axes: Sequence[InputAxis], columns: Columns, points: np.ndarray, values: np.ndarray, model: Kriging, error: np.ndarray | None = None
) -> xr.Dataset:
    """The group `surrogates` of a result: the fitted runs of every output, `points` (n, d) and `values` (n, columns)."""
    group = group_of(axes, columns, values, ("term",), {"coordinate": (("term", "input"), points)}, error)
    for name, at in columns.slices.items():
        group[name].attrs |= {"lengths": model.lengths[at.start].tolist(), "kernel": model.kernel, "trend": model.trend}
    return group.assign_attrs(kind=KeptKriging.kind)
