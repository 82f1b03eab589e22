"""A kept Kriging: evaluated, differentiated and asked for its standard deviation again without a run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr

from uqmbd.inputs.space import Space
from uqmbd.outcomes import OutputInfo
from uqmbd.surrogates.asked import SCORES, InputAxis, KeptSurrogate, curved
from uqmbd.surrogates.kriging import Kriging


@dataclass(frozen=True)
class KeptKriging(KeptSurrogate):
    """Kriging of one number, in standard normal coordinates. It meets its runs; between them `std` says how far it may be off."""

    points: np.ndarray  # (n, d): coordinates of the runs
    values: np.ndarray  # (n,), unit of the output
    lengths: np.ndarray  # (d,): distances over which values are alike
    kernel: str  # this and the next: see `uqmbd.surrogates.kriging.Kriging`
    trend: str

    __repr__ = KeptSurrogate.__repr__

    def std(self, /, **inputs: Any) -> np.ndarray:
        """Standard deviation of the prediction, unit of the output; inputs, shape and NaN as of a call."""
        points, _, shape = self._points(inputs)
        return self._found(lambda points: self._model.std(points)[:, 0], points, shape)

    @cached_property
    def _model(self) -> Kriging:
        return Kriging.known(self.points, self.values, self.lengths, kernel=self.kernel, trend=self.trend)

    def _values(self, points: np.ndarray) -> np.ndarray:
        return self._model.evaluate(points)[:, 0]

    def _slope(self, points: np.ndarray, i: int) -> np.ndarray:
        return self._model.gradient(points)[:, i]

    def _table(self) -> dict[str, Any]:
        numbers = {key: getattr(self, key).tolist() for key in ("points", "values", "lengths")}
        return {"kriging": numbers | {"kernel": self.kernel, "trend": self.trend}}


def of_table(table: Mapping[str, Any], head: Sequence) -> KeptKriging:
    """From what `KeptKriging.save` wrote; `head` is what every kind of `KeptSurrogate` has."""
    found = table["kriging"]
    numbers = (np.array(found[key], float) for key in ("points", "values", "lengths"))
    return KeptKriging(*head, *numbers, found["kernel"], found["trend"])


# with a result ----------------------------------------------------------------------------------------------------------------------------
def normal_axes(inputs: Space) -> Sequence[InputAxis] | None:
    """Inputs with their normal scores as coordinates; None where one has a few values only, or they depend on each other."""
    axes = [curved(name, item, SCORES) for name, item in inputs.items()]
    return None if inputs.dependence is not None or None in axes else axes


def kept(axes: Sequence[InputAxis], name: str, info: OutputInfo, points: np.ndarray, values: np.ndarray, model: Kriging) -> xr.Dataset:
    """The group `surrogates` of a result: the fitted runs of one output, `points` (n, d) and `values` (n,)."""
    coords = {"input": np.array([axis.name for axis in axes], object), "coordinate": (("term", "input"), points)}
    attrs = {"unit": info.unit, "lengths": model.lengths[0].tolist(), "kernel": model.kernel, "trend": model.trend}
    table = json.dumps([axis.table() for axis in axes])
    return xr.Dataset({name: ("term", values, attrs)}, coords, attrs={"axes": table, "kind": "kriging"})


def of_group(group: xr.Dataset, array: xr.DataArray, head: Sequence) -> KeptKriging:
    """The surrogate of one output, `array`, from the group of a result that `kept` made; `head` as of `of_table`."""
    about = array.attrs
    return KeptKriging(*head, group["coordinate"].values, array.values, np.array(about["lengths"]), about["kernel"], about["trend"])
