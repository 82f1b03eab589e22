"""Long curves are drawn with the least and the greatest value of each stretch: no peak is lost, and the page stays small."""

from itertools import pairwise

import numpy as np
import pytest
import xarray as xr

from uqmbd.figures import sections
from uqmbd.figures.marks import Band, Curve, Figure, Panel
from uqmbd.figures.thinning import LONG, SPANS, STRETCHES, extremes, merged, thinned
from uqmbd.report import plotly_view
from uqmbd.result import Result

POINTS = 200_003


@pytest.mark.parametrize("points", [7, 100, 101, 1503, POINTS])
def test_every_stretch_keeps_its_least_and_greatest_value(points):
    values = np.random.default_rng(points).normal(size=points).cumsum()
    stretches = min(50, points)
    kept = extremes(values, stretches)
    edges = np.linspace(0, points, stretches + 1).astype(int)
    assert (np.diff(kept) > 0).all() and kept[0] == 0 and kept[-1] == points - 1 and len(kept) <= 2 * stretches + 2
    for begin, end in pairwise(edges):
        here = values[kept[(kept >= begin) & (kept < end)]]
        assert here.min() == values[begin:end].min() and here.max() == values[begin:end].max()


def test_gaps_stay_gaps():
    values = np.sin(np.linspace(0, 20, 10_000))
    values[[1234, 1235, 9000]] = np.nan
    values[5000:6000] = np.nan
    kept = extremes(values, 100)
    assert 1234 in kept and 9000 in kept and np.isnan(values[kept[(kept >= 5000) & (kept < 6000)]]).all()


def test_a_band_keeps_its_peaks_on_both_sides_and_a_short_one_is_as_it_was():
    x = np.linspace(0.0, 10.0, POINTS)
    lower, upper = np.sin(x) - 1, np.sin(x) + 1
    lower[70_001], upper[150_000] = -50.0, 70.0
    figure = Figure("k", "t", (Panel("x", "y", (Band(x, lower, upper, "b", "outer"), Curve(x[:100], x[:100], "c", 0))),), ())
    (panel,) = thinned(figure).panels
    band, curve = panel.marks
    assert len(band.x) == len(band.lower) == len(band.upper) <= 4 * STRETCHES + 4
    assert band.lower.min() == -50 and band.upper.max() == 70 and (np.diff(band.x) > 0).all()
    assert curve is figure.panels[0].marks[1]


def test_spans_closer_than_a_pixel_are_drawn_as_one():
    ends = np.arange(10_000.0)
    spans = tuple(zip(ends.tolist(), (ends + 0.5).tolist(), strict=True))
    found = merged(Panel("x", "y", (), spans))
    assert len(found) < 2 * STRETCHES and found[0][0] == 0.0 and found[-1][1] == 9999.5
    few = spans[:SPANS]
    assert merged(Panel("x", "y", (), few)) is few


def test_a_history_of_many_points_makes_a_small_page():
    """Bounds, what runs reached, error and trust of 400,000 times: figures of less than a megabyte, where 30 numbers a time were 20."""
    time = np.linspace(0.0, 10.0, 400_000)
    middle, half = np.sin(50 * time), 0.5 + 0.2 * np.cos(300 * time)
    both = xr.DataArray(np.stack([middle - half, middle + half]), {"bound": ["lower", "upper"], "time": time}, ("bound", "time"))
    error = xr.DataArray(1e-3 * half, {"time": time}, ("time",))
    groups = {"bounds": both, "inner": 0.9 * both, "error": error, "trusted": error < 6e-4}
    result = Result(
        **{key: xr.Dataset({"x": array.assign_attrs(unit="m")}) for key, array in groups.items()}, attrs={"method": "chebyshev"}
    )
    found = [figure for group in sections(result).values() for figure in group]
    assert found and sum(len(plotly_view.script(figure)) for figure in found) < 1e6
    tables = {frame.key: frame.table for frame in result.tables()}
    assert len(tables["history_x_every_8"]) == 50_000 and tables["history_x_every_8"].index[1] == time[8]
    bands = [mark for figure in found for mark in figure.panels[0].marks if isinstance(mark, Band)]
    assert bands and max(band.upper.max() for band in bands) == float(both.max()) and len(bands[0].x) > LONG / 2
