"""Marks as matplotlib draws them into one pair of axes."""

import re
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator, ScalarFormatter

from uqmbd.figures.labels import SIDES, shortened
from uqmbd.figures.marks import SHADE, STYLES, Band, Bars, Cells, Curve, Dots, Image, Level, Mark, Pairs, Panel, Points, Rows, Stack, look
from uqmbd.figures.tiles import Tiles
from uqmbd.tables.numbers import SUPERSCRIPT

DASHES = {"solid": "-", "dash": "--", "dot": ":"}
Theme = dict[str, str]


class Powers(ScalarFormatter):
    """Numbers with a common power of ten, in plain characters: ``×10⁻³`` (matplotlib's own way typesets each as mathematics)."""

    def __init__(self, least: int = -3, most: int = 4) -> None:
        super().__init__()
        self.set_powerlimits((least, most))

    def get_offset(self) -> str:
        """What stands at the end of the axis."""
        text = super().get_offset().replace("−", "-")
        return re.sub(r"1?e([+-]?\d+)", lambda match: "×" + power(int(match[1])), text)


def power(exponent: int) -> str:
    """A power of ten: ``10⁻³``."""
    return "10" + str(exponent).translate(SUPERSCRIPT)


def panel_marks(axis: Axes, panel: Panel, theme: Theme) -> None:
    """Draw one panel: shades, marks, labels, ticks."""
    for start, end in panel.shades:
        axis.axvspan(start, end, color=theme[SHADE.color], alpha=SHADE.fill, linewidth=0, label="not trusted", zorder=0)
    for order, mark in enumerate(panel.marks, start=1):
        _mark(axis, mark, panel, order, theme)
    axis.set(xlabel=panel.x_label, ylabel=panel.y_label)
    if not panel.named:
        axis.grid(True, color=theme["grid"], linewidth=0.7)
    axis.set_axisbelow(True)
    bars = any(isinstance(mark, Bars) for mark in panel.marks)
    axis.margins(x=0.04 if bars or any(isinstance(mark, Points) for mark in panel.marks) else 0.01)
    if panel.bare:
        axis.set(ylim=(0, 1), yticks=[])
        axis.margins(x=0.15)
    elif any(isinstance(mark, Band) for mark in panel.marks) and any(isinstance(mark, Points) and any(mark.sides) for mark in panel.marks):
        axis.margins(y=0.12)  # words stand above and below the band
    if panel.counted:
        axis.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    if panel.log:
        axis.set_yscale("log")
        axis.yaxis.set_major_locator(LogLocator(numticks=5))
        axis.yaxis.set_minor_locator(NullLocator())
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: power(round(np.log10(value))) if value > 0 else ""))
    if panel.named:
        _names(axis, panel, theme)
    for side in [] if panel.named else [axis.xaxis] + ([] if panel.log or panel.bare else [axis.yaxis]):
        side.set_major_formatter(Powers())
    if panel.equal:
        axis.set_aspect("equal", adjustable="datalim")


def _names(axis: Axes, panel: Panel, theme: Theme) -> None:
    """Names along the vertical axis, the first at the top; of a matrix along both."""
    words = list(shortened(panel.names).values())
    axis.set_yticks(range(len(words)), words)
    axis.set_ylim(len(words) - 0.4, -0.6)
    axis.tick_params(left=False)
    if cells := next((mark for mark in panel.marks if isinstance(mark, Cells)), None):
        above = cells.columns or words  # words that are empty leave their column without one
        slanted: dict[str, Any] = dict(rotation=40, horizontalalignment="right", rotation_mode="anchor") if cells.text else {}
        axis.set_xticks(range(len(above)), above, **slanted)
        axis.set_xlim(-0.5, len(above) - 0.5)
        axis.tick_params(bottom=False)
        return
    axis.grid(True, axis="x", color=theme["grid"], linewidth=0.7)
    axis.axvline(0, color=theme["soft"], linewidth=0.8)


def _mark(axis: Axes, mark: Mark, panel: Panel, order: int, theme: Theme) -> None:
    if isinstance(mark, Bars):
        style = STYLES["bars"]
        axis.stairs(mark.counts, mark.edges, fill=True, color=theme[style.color], alpha=style.fill, label=mark.label, zorder=order)
    elif isinstance(mark, Stack):
        looks = mark.looks()
        colors = [to_rgba(theme[style.color], style.fill) for style in looks]
        axis.stackplot(mark.x, np.nan_to_num(mark.shares), labels=mark.labels, colors=colors, zorder=order)
        axis.set_ylim(0, max(1.0, float(np.nanmax(mark.shares.sum(axis=0), initial=1.0))))
    elif isinstance(mark, Rows):
        _rows(axis, mark, panel, theme)
    elif isinstance(mark, Dots):
        size, color = 2.2 if mark.coarse else 0.9, theme[look(mark.style).color]
        axis.plot(mark.x, mark.y, "o", markersize=size, markeredgewidth=0, color=color, label=mark.label, rasterized=True, zorder=order)
    elif isinstance(mark, Tiles):
        color, corners = theme[look(mark.style).color], [*np.stack(mark.outlines(), axis=-1)]
        axis.add_collection(PolyCollection(corners, facecolor=color, edgecolor=color, linewidth=0.2, label=mark.label, zorder=order))
        axis.autoscale_view()
    elif isinstance(mark, Points):
        _points(axis, mark, theme)
    elif isinstance(mark, Cells):
        _cells(axis, mark, theme)
    elif isinstance(mark, Image):
        _image(axis, mark, theme)
    else:
        _lines(axis, mark, order, theme)


def _lines(axis: Axes, mark: Curve | Band | Level | Pairs, order: int, theme: Theme) -> None:
    if isinstance(mark, Pairs):
        return  # a figure of its own
    style = STYLES[mark.style] if isinstance(mark, Level) else mark.look()
    line: dict[str, Any] = dict(color=theme[style.color], linewidth=style.width, linestyle=DASHES[style.dash], zorder=order)
    if isinstance(mark, Level):
        axis.axvline(mark.x, label=mark.label, **line)
    elif isinstance(mark, Curve):
        axis.plot(mark.x, mark.y, alpha=style.opacity, label=mark.label, **line)
    else:
        filled: dict[str, Any] = dict(facecolor=(theme[style.color], style.fill), edgecolor=theme[style.color], linewidth=style.width)
        axis.fill_between(mark.x, mark.lower, mark.upper, label=mark.label, zorder=order, **filled)


def _rows(axis: Axes, mark: Rows, panel: Panel, theme: Theme) -> None:
    at, height = panel.places_of(mark)
    axis.barh(at, np.nan_to_num(mark.values), height, color=to_rgba(theme[look(mark.style).color], 0.85), label=mark.label)
    if mark.lower is not None and mark.upper is not None:
        axis.hlines(at, mark.lower, mark.upper, color=theme["ink"], linewidth=1.0)
        axis.plot(np.hstack([mark.lower, mark.upper]), np.hstack([at, at]), "|", color=theme["ink"], markersize=5)


def _points(axis: Axes, mark: Points, theme: Theme) -> None:
    color, brief = theme[look(mark.style).color], shortened(mark.names) if any(mark.sides) else {}
    axis.plot(mark.x, mark.y, "o", markersize=(3.5 if mark.small else 2.5) if mark.many else 5, color=color, label=mark.label)
    anchors = {"right": ("left", "center"), "left": ("right", "center"), "top": ("center", "bottom"), "bottom": ("center", "top")}
    for x, y, name, side in zip(mark.x, mark.y, mark.names, mark.sides, strict=True):
        if side:
            right, up = SIDES[side]
            horizontal, vertical = anchors[side]
            axis.annotate(
                brief[name], (x, y), (6 * right, 5 * up), textcoords="offset points", ha=horizontal, va=vertical, fontsize=9,
                color=theme["ink"],
            )  # fmt: skip


def _image(axis: Axes, mark: Image, theme: Theme) -> None:
    """The picture, and beside it its scale of colours."""
    low, high = mark.ends()
    paper = np.array(to_rgba(theme["paper"]))
    ramp = [(at, tuple(opacity * np.array(to_rgba(theme[name])) + (1 - opacity) * paper)) for at, name, opacity in mark.ramp()]
    colors = LinearSegmentedColormap.from_list("ramp", ramp)
    drawn = axis.pcolormesh(mark.x, mark.y, mark.values, cmap=colors, vmin=low, vmax=high, shading="nearest", rasterized=True)
    axis.grid(False)
    beyond = "neither" if mark.top is None else "max" if low == 0.0 else "both"
    scale = axis.figure.colorbar(drawn, cax=axis.inset_axes((1.02, 0.0, 0.025, 1.0)), format=Powers(), extend=beyond)
    scale.set_label(mark.label, color=theme["ink"])
    scale.ax.tick_params(colors=theme["soft"], labelcolor=theme["ink"])
    scale.ax.yaxis.get_offset_text().set_color(theme["ink"])
    scale.outline.set_edgecolor(theme["soft"])


def _cells(axis: Axes, mark: Cells, theme: Theme) -> None:
    """Cells are the darker the larger, each with its number."""
    opacity = 0.6 * np.minimum(np.nan_to_num(np.abs(mark.values)) / mark.full(), 1.0)
    color = to_rgba(theme[look(0).color])
    axis.imshow([[(*color[:3], part) for part in row] for row in opacity], aspect="auto", interpolation="nearest")
    said = mark.said()
    small = 9 if len(mark.values) <= 10 else 7.5
    for i, j in zip(*np.nonzero(np.isfinite(mark.values)), strict=True):
        axis.text(j, i, said[i][j], ha="center", va="center", fontsize=small, color=theme["ink"])
