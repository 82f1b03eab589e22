"""A few runs out of many, read lazily and thinned for drawing."""

from collections.abc import Mapping

import numpy as np

from uqmbd.figures.thinning import extremes
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import chosen, output_names
from uqmbd.tables.scatter import OfModel

Line = tuple[np.ndarray, np.ndarray]  # x and y of a curve
BLOCKS = 6  # neighbouring runs lie in one chunk of the store: few blocks mean few chunks to read
MOST_NUMBERS = 1 << 22  # that a page keeps in memory; others are read when they are drawn
FLOATS_DRAWN = 300_000  # of all histories on a page; 4 bytes each become 5.4 in the page


def read_once(result: ResultData):
    """The result with the numbers of its runs that are drawn in memory, unless they are very many; histories and messages stay on disk."""
    shown = {"status", *chosen(result, output_names(result)[1])}
    names = [str(name) for name in result.runs.data_vars if name in shown or str(name).startswith(("input:", "control:"))]
    numbers = [name for name in names if result.runs.variables[name].ndim == 1]
    if len(numbers) * result.runs.sizes.get("run", 0) > MOST_NUMBERS:
        numbers = ["status"]
    return result.replaced(runs=result.runs.assign(result.runs[numbers].load().data_vars)) if numbers else result


def status(result: ResultData) -> np.ndarray:
    """Codes of `uqmbd.outcomes.STATUS`, ``(run,)``: 0 is ok, negative is a place in the store that no run has filled."""
    if "status" not in result.runs:
        return np.zeros(result.runs.sizes.get("run", 0), np.int8)
    return result.runs["status"].values


def good(result: ResultData) -> np.ndarray:
    """Which runs were ok, ``(run,)`` bool; of several models those of the one whose scatter is shown."""
    found = status(result) == 0
    for control, value in _of_model(result).items():
        found = found & (result.runs[f"control:{control}"].values == value)
    return found


def of_model(result: ResultData) -> list[str]:
    """A sentence where runs of one of several models are drawn."""
    if not _of_model(result):
        return []
    said = result.facts_of(OfModel).said
    return [f"Runs of {said} alone, {np.count_nonzero(good(result))} of {np.count_nonzero(status(result) == 0)}."]


def _of_model(result: ResultData) -> Mapping[str, float]:
    controls = result.facts_of(OfModel).scatter_of
    return controls if all(f"control:{control}" in result.runs for control in controls) else {}


def failed(result: ResultData) -> np.ndarray:
    """Which runs failed, ``(run,)`` bool."""
    return status(result) > 0


def are_a_sample(result: ResultData) -> bool:
    """Whether the runs are a sample of the inputs' distribution."""
    return result.facts.sampling == "random"


def are_chosen(result: ResultData) -> bool:
    """Whether the runs are at values that a user chose, and nothing follows for others."""
    return result.facts.sampling == "chosen"


def choose(candidates: np.ndarray, count: int) -> np.ndarray:
    """Indices of at most ``count`` of the runs marked in ``candidates``, in blocks spread evenly over the campaign."""
    index = np.flatnonzero(candidates)
    if len(index) <= count:
        return index
    length = -(-count // BLOCKS)
    starts = np.linspace(0, len(index) - length, BLOCKS).astype(int)
    return index[np.unique(starts[:, None] + np.arange(length))][:count]


def fixed(result: ResultData) -> list[str]:
    """Inputs that were held at one number."""
    return [name for name, entry in result.facts.inputs.items() if entry.kind == "fixed"]


def varied_inputs(result: ResultData) -> list[str]:
    """Inputs of the stored runs that were not held at one number."""
    names = [str(name).removeprefix("input:") for name in result.runs.data_vars if str(name).startswith("input:")]
    return [name for name in names if name not in fixed(result)]


def share_of_page(histories: int, points: int) -> tuple[int, int]:
    """How many runs of how many points each history may show, so that the page stays small."""
    points = max(1, min(points, 240))
    return int(np.clip(FLOATS_DRAWN // (2 * points * max(histories, 1)), 8, 60)), points


def histories(result: ResultData, names: list[str], count: int, points: int) -> dict[str, list[Line]]:
    """The same few good runs of several histories, each thinned to about ``points`` points as it is read."""
    index, lines = choose(good(result), count), {}
    for name in names:
        time = result.runs[name][result.axis_of(name, "runs")].values
        some = max(1, MOST_NUMBERS // len(time))
        parts = (result.runs[name].isel(run=index[i : i + some]).values.astype(float) for i in range(0, len(index), some))
        lines[name] = [thin(time, run, points) for part in parts for run in part]
    return lines


def thin(time: np.ndarray, values: np.ndarray, points: int) -> tuple[np.ndarray, np.ndarray]:
    """One history reduced to about ``points`` points that keep the least and greatest value of each stretch."""
    if len(time) <= points:
        return time, values
    index = extremes(values, max(1, points // 2))
    return time[index], values[index]


def joined(xs: list[np.ndarray], ys: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Several lines as one, with NaN between them."""
    if not xs:
        return np.empty(0), np.empty(0)
    gap = [np.nan]
    return (np.concatenate([part for x in xs for part in (x, gap)]), np.concatenate([part for y in ys for part in (y, gap)]))
