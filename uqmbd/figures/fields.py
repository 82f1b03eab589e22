"""Fields of the nominal run: pictures and curves of what the study's functions returned."""

import numpy as np

from uqmbd.figures.marks import Curve, Figure, Image, Panel
from uqmbd.method_facts import Cases, Words
from uqmbd.result_data import ResultData
from uqmbd.tables.numbers import bracketed
from uqmbd.tables.outputs import pretty

CELLS = 240  # of a picture along each side, and twice as many of a curve
SHARE, STEEP = 0.99, 2.0  # of the cells above zero that the colours reach where the largest value is so many times what they hold


def field_figures(result: ResultData) -> list[Figure]:
    """One figure for each field: of one dimension a curve, of two (y, x) a picture."""
    inputs = ", ".join(f"{name} {value:.4g}" for name, value in Cases.of(result.fields.attrs).inputs.items())
    caption = f"One run in the middle of the inputs{f': {inputs} (SI units)' if inputs else ''}."
    return [_figure(str(name), array, caption) for name, array in result.fields.data_vars.items()]


def _figure(name: str, array, caption: str) -> Figure:
    title = Words.of(array.attrs).title or name
    label = name + bracketed(_unit(array))
    *rows, x = array.dims
    x_label, at = x + bracketed(_unit(array[x])), array[x].values
    if not rows:
        every = max(1, -(-len(at) // (2 * CELLS)))
        panel = Panel(x_label, label, (Curve(at[::every], array.values[::every], name, 0),))
        return Figure(f"{name}.field", title, (panel,), (caption,))
    y = array[rows[0]]
    steps = [max(1, -(-size // CELLS)) for size in array.shape]
    top = _top(array.values)
    image = Image(at[:: steps[1]], y.values[:: steps[0]], array.values[:: steps[0], :: steps[1]], label, top)
    i, j = np.unravel_index(np.nanargmax(np.abs(array.values)), array.shape)
    largest, across, up = (
        f"{value:.4g} {_unit(of)}".rstrip() for value, of in ((array.values[i, j], array), (at[j], array[x]), (y.values[i], y))
    )
    most = f"The largest value, {largest}, is at {x} {across} and {rows[0]} {up}."
    if top is not None:
        end = f"{top:.4g} {_unit(array)}".rstrip()
        most += f" The colours reach to {end}, which one hundredth of the values other than zero exceeds."
    return Figure(f"{name}.field", title, (Panel(x_label, rows[0] + bracketed(_unit(y)), (image,)),), (most, caption))


def _top(values: np.ndarray) -> float | None:
    """Where the colours end, if a few values are so large that the others would not be seen."""
    size = np.abs(values[np.isfinite(values) & (values != 0)])
    most = float(np.quantile(size, SHARE)) if len(size) else 0.0
    return most if 0.0 < STEEP * most < size.max() else None


def _unit(array) -> str:
    return pretty(Words.of(array.attrs).unit)
