"""Figures as matplotlib draws them, for files."""

import re
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator, ScalarFormatter
from matplotlib.transforms import blended_transform_factory

from uqmbd.figures.marks import SHADE, STYLES, Band, Bars, Curve, Figure, Level, Panel

LEFT, RIGHT, TOP, X_LABEL, LEGEND, GAP = 0.95, 0.25, 0.5, 0.65, 0.24, 0.28  # inches; LEGEND for each row
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
DASHES = {"solid": "-", "dash": "--", "dot": ":"}


def save(figure: Figure, path: Path) -> Path:
    """Write the figure as PNG."""
    FigureCanvasAgg(draw(figure)).print_png(path, pil_kwargs={"compress_level": 3})  # savefig would draw twice
    return path


def draw(figure: Figure) -> Canvas:
    """The figure as a matplotlib figure that belongs to no global state.

    Margins are inches known beforehand: a layout that measures every text takes longer than the drawing.
    """
    heights = [panel.height for panel in figure.panels]
    width, height = (7.0, 7.0) if figure.panels[0].equal else (9.0, 2.4 + 1.1 * sum(heights) if len(heights) > 1 else 4.5)
    canvas = Canvas(figsize=(width, height), dpi=130)
    axes = canvas.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for panel, axis in zip(figure.panels, axes, strict=True):
        _panel(axis, panel)
        axis.yaxis.set_label_coords(0.3 / width, 0.5, blended_transform_factory(canvas.transFigure, axis.transAxes))
    legend = _legend(canvas, axes)
    bottom = LEGEND * legend + X_LABEL
    room = height - TOP - bottom - GAP * (len(heights) - 1)
    gap = GAP / (room / len(heights))
    canvas.subplots_adjust(left=LEFT / width, right=1 - RIGHT / width, top=1 - TOP / height, bottom=bottom / height, hspace=gap)
    for axis in axes[:-1]:
        axis.set_xlabel("")
    below = blended_transform_factory(axes[-1].transAxes, canvas.transFigure)
    axes[-1].xaxis.set_label_coords(0.5, (bottom - 0.3) / height, below)
    canvas.suptitle(figure.title, fontsize=12, y=1 - 0.1 / height, verticalalignment="top")
    return canvas


class Powers(ScalarFormatter):
    """Numbers with a common power of ten, in plain characters: ``×10⁻³`` (matplotlib's own way typesets each as mathematics)."""

    def get_offset(self) -> str:
        """What stands at the end of the axis."""
        text = super().get_offset().replace("−", "-")
        return re.sub(r"1?e([+-]?\d+)", lambda found: "×" + power(int(found[1])), text)


def power(exponent: int) -> str:
    """A power of ten: ``10⁻³``."""
    return "10" + str(exponent).translate(SUPERSCRIPT)


def _panel(axis: Axes, panel: Panel) -> None:
    for start, end in panel.shades:
        axis.axvspan(start, end, color=SHADE.color, alpha=SHADE.fill, linewidth=0, label="not trusted", zorder=0)
    for order, mark in enumerate(panel.marks, start=1):
        _mark(axis, mark, order)
    axis.set(xlabel=panel.x_label, ylabel=panel.y_label)
    axis.grid(True, color="#e4e7ec", linewidth=0.7)
    axis.set_axisbelow(True)
    axis.margins(x=0.04 if any(isinstance(mark, Bars) for mark in panel.marks) else 0.01)
    if panel.log:
        axis.set_yscale("log")
        axis.yaxis.set_major_locator(LogLocator(numticks=5))
        axis.yaxis.set_minor_locator(NullLocator())
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: power(round(np.log10(value))) if value > 0 else ""))
    bars = any(isinstance(mark, Bars) for mark in panel.marks)
    for side in [axis.xaxis] + ([] if bars or panel.log else [axis.yaxis]):
        formatter = Powers()
        formatter.set_powerlimits((-3, 4))
        side.set_major_formatter(formatter)
    if panel.equal:
        axis.set_aspect("equal", adjustable="datalim")


def _mark(axis: Axes, mark: Curve | Band | Bars | Level, order: int) -> None:
    if isinstance(mark, Bars):
        style = STYLES["bars"]
        axis.stairs(mark.counts, mark.edges, fill=True, color=style.color, alpha=style.fill, label=mark.label, zorder=order)
        return
    style = mark.look() if isinstance(mark, Curve) else STYLES[mark.style]
    line = dict(color=style.color, linewidth=style.width, linestyle=DASHES[style.dash], zorder=order)
    if isinstance(mark, Level):
        axis.axvline(mark.x, label=mark.label, **line)
    elif isinstance(mark, Curve):
        axis.plot(mark.x, mark.y, alpha=style.opacity, label=mark.label, **line)
    else:
        look = dict(facecolor=(style.color, style.fill), edgecolor=style.color, linewidth=style.width)
        axis.fill_between(mark.x, mark.lower, mark.upper, label=mark.label, zorder=order, **look)


def _legend(canvas: Canvas, axes) -> int:
    """Draw the legend; how many rows it has."""
    entries = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if not entries:
        return 0
    columns = min(len(entries), 4)
    legend = canvas.legend(entries.values(), entries.keys(), loc="lower center", ncols=columns, frameon=False, fontsize=9)
    for handle in legend.legend_handles:
        if handle.get_label() == "runs" and hasattr(handle, "set_linewidth"):
            handle.set_linewidth(1.2)
    return -(-len(entries) // columns)
