"""Figures as matplotlib draws them, for files."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import LogLocator, NullLocator

from uqmbd.figures.marks import SHADE, STYLES, Band, Bars, Curve, Figure, Level, Panel

DASHES = {"solid": "-", "dash": "--", "dot": ":"}


def save(figure: Figure, path: Path) -> Path:
    """Write the figure as PNG."""
    FigureCanvasAgg(draw(figure)).print_png(path)  # savefig would draw twice
    return path


def draw(figure: Figure) -> Canvas:
    """The figure as a matplotlib figure that belongs to no global state."""
    heights = [panel.height for panel in figure.panels]
    size = (7.0, 7.0) if figure.panels[0].equal else (9.0, 2.4 + 1.1 * sum(heights) if len(heights) > 1 else 4.5)
    canvas = Canvas(figsize=size, dpi=130, layout="constrained")
    axes = canvas.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for panel, axis in zip(figure.panels, axes, strict=True):
        _panel(axis, panel)
    for axis in axes[:-1]:
        axis.set_xlabel("")
    canvas.align_ylabels(axes)
    canvas.suptitle(figure.title, fontsize=12)
    _legend(canvas, axes)
    return canvas


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
    elif not any(isinstance(mark, Bars) for mark in panel.marks):
        axis.ticklabel_format(axis="both", style="sci", scilimits=(-3, 4), useMathText=True)
    if panel.equal:
        axis.set_aspect("equal", adjustable="datalim")


def _mark(axis: Axes, mark: Curve | Band | Bars | Level, order: int) -> None:
    if isinstance(mark, Bars):
        style = STYLES["bars"]
        axis.stairs(mark.counts, mark.edges, fill=True, color=style.color, alpha=style.fill, label=mark.label, zorder=order)
        axis.ticklabel_format(axis="x", style="sci", scilimits=(-3, 4), useMathText=True)
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


def _legend(canvas: Canvas, axes) -> None:
    entries = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if not entries:
        return
    columns = min(len(entries), 4)
    legend = canvas.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=columns, frameon=False, fontsize=9)
    for handle in legend.legend_handles:
        if handle.get_label() == "runs" and hasattr(handle, "set_linewidth"):
            handle.set_linewidth(1.2)
