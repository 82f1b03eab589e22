"""Figures as matplotlib draws them, for files."""

from pathlib import Path
from typing import IO, Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.transforms import blended_transform_factory

from uqmbd.figures.alt import alternative
from uqmbd.figures.colors import LIGHT
from uqmbd.figures.labels import short, shortened
from uqmbd.figures.marks import Cells, Figure, Image, Pairs, Rows, look
from uqmbd.figures.matplotlib_marks import Powers, Theme, panel_marks

LEFT, RIGHT, TOP, X_LABEL, LEGEND, GAP = 0.95, 0.25, 0.5, 0.65, 0.24, 0.28  # inches; LEGEND for each row
LETTER = 0.085  # inches of a letter, somewhat wide
WIDTH = 9.0
SCALE = 1.15  # inches of a scale of colours and its words
LABEL = 42  # characters in a legend
SEEN = 2.5  # size of a dot in the legend


def save(figure: Figure, path: Path, theme: Theme = LIGHT) -> Path:
    """Write the figure as PNG, with its words for those who cannot see it."""
    write(figure, path, theme)
    return path


def write(figure: Figure, to: Path | IO[bytes], theme: Theme = LIGHT, width: float = WIDTH) -> None:
    """The same to a file or a stream, in another width in inches."""
    words = {"Title": figure.title, "Description": alternative(figure)}
    canvas = FigureCanvasAgg(draw(figure, theme, width))
    canvas.print_png(to, metadata=words, pil_kwargs={"compress_level": 3})  # savefig would draw twice


def draw(figure: Figure, theme: Theme = LIGHT, wide: float = WIDTH) -> Canvas:
    """The figure as a matplotlib figure that belongs to no global state, `wide` inches unless what it shows has a width of its own.

    Margins are inches known beforehand: a layout that measures every text takes longer than the drawing.
    """
    if any(isinstance(mark, Pairs) for mark in figure.panels[0].marks):
        return _scatter_matrix(figure, theme)
    panels = figure.panels
    heights = [panel.height for panel in panels]
    width, height = _size(figure, wide)
    canvas = Canvas(figsize=(width, height), dpi=130, facecolor=theme["paper"])
    axes = canvas.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    longest = max((len(name) for panel in panels for name in shortened(panel.names).values()), default=0)
    left = max(LEFT, 0.35 + LETTER * longest) if any(panel.named for panel in panels) else LEFT
    cells = [mark for panel in panels for mark in panel.marks if isinstance(mark, Cells) and mark.text]
    above = max((len(word) for mark in cells for word in mark.columns), default=longest)
    slanted = 0.5 * LETTER * above if cells else 0.0
    for panel, axis in zip(panels, axes, strict=True):
        panel_marks(axis, panel, theme)
        paint(axis, theme)
        axis.yaxis.set_label_coords(0.3 / width, 0.5, blended_transform_factory(canvas.transFigure, axis.transAxes))
    legend = 0 if panels[0].named and len(panels[0].marks) == 1 else _legend(canvas, axes, theme, width)
    bottom = LEGEND * legend + X_LABEL + slanted
    room = height - TOP - bottom - GAP * (len(heights) - 1)
    gap = GAP / (room / len(heights))
    right = SCALE if any(isinstance(mark, Image) for panel in panels for mark in panel.marks) else RIGHT
    canvas.subplots_adjust(left=left / width, right=1 - right / width, top=1 - TOP / height, bottom=bottom / height, hspace=gap)
    for axis in axes[:-1]:
        axis.set_xlabel("")
    below = blended_transform_factory(axes[-1].transAxes, canvas.transFigure)
    axes[-1].xaxis.set_label_coords(0.5, (bottom - slanted - 0.3) / height, below)
    _title(canvas, figure, theme, height, width)
    return canvas


def draw_into(axis: Axes, figure: Figure, theme: Theme = LIGHT) -> Canvas:
    """Draw the first panel of a figure into axes that are there, whose colours and place stay as they are; the figure of these axes."""
    panel = figure.panels[0]
    panel_marks(axis, panel, theme)
    axis.set_xlabel(panel.x_label or figure.panels[-1].x_label)
    axis.set_title(short(figure.title, 60), fontsize="medium")
    handles, labels = axis.get_legend_handles_labels()
    entries = dict(zip(labels, handles, strict=True))
    if len(entries) > 1 or not panel.named:
        axis.legend(entries.values(), shortened(list(entries), LABEL).values(), fontsize="small")
    return axis.figure.figure  # the whole one, of axes in a part of it as well


def _size(figure: Figure, wide: float) -> tuple[float, float]:
    """Width and height in inches."""
    panels = figure.panels
    if figure.square:
        return 7.0, 7.0
    if len(panels) != 1:
        return wide, 2.4 + 1.1 * sum(panel.height for panel in panels)
    marks, names = panels[0].marks, len(panels[0].names)
    if any(isinstance(mark, Cells) for mark in marks):
        return wide, 2.6 + 0.42 * names
    if panels[0].bare:
        return wide, 2.9
    bars = sum(isinstance(mark, Rows) for mark in marks)
    return (wide, 1.7 + max(1.2, names * (0.16 + 0.14 * bars))) if bars else (wide, 4.5)


def paint(axis, theme: Theme) -> None:
    """Colours of frame, ticks and words."""
    axis.set_facecolor(theme["paper"])
    axis.tick_params(colors=theme["soft"], labelcolor=theme["ink"])
    for spine in axis.spines.values():
        spine.set_color(theme["soft"])
    for text in (axis.xaxis.label, axis.yaxis.label, axis.xaxis.get_offset_text(), axis.yaxis.get_offset_text()):
        text.set_color(theme["ink"])


def _title(canvas: Canvas, figure: Figure, theme: Theme, height: float, width: float = WIDTH) -> None:
    text = short(figure.title, round(80 * width / WIDTH))
    canvas.suptitle(text, fontsize=12, y=1 - 0.1 / height, verticalalignment="top", color=theme["ink"])


def _legend(canvas: Canvas, axes, theme: Theme, width: float) -> int:
    """Draw the legend below all panels; how many rows it has."""
    entries = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if not entries:
        return 0
    words = list(shortened(list(entries), LABEL).values())
    fits = int((width - 0.4) / (0.9 * LETTER * max(map(len, words)) + 0.65))
    columns = min(len(entries), 4, max(fits, 1))
    look_of: dict[str, Any] = dict(loc="lower center", ncols=columns, frameon=False, fontsize=9, labelcolor=theme["ink"])
    legend = canvas.legend(entries.values(), words, **look_of)
    for handle in legend.legend_handles:
        set_width = getattr(handle, "set_linewidth", None)
        if set_width is not None and handle is not None and handle.get_label() == "runs":
            set_width(1.2)
        if isinstance(handle, Line2D) and handle.get_markersize() < SEEN and handle.get_marker() == "o":
            handle.set_markersize(SEEN)
    return -(-len(entries) // columns)


def _scatter_matrix(figure: Figure, theme: Theme) -> Canvas:
    """Every variable against every other below the diagonal, histograms on it."""
    panel = figure.panels[0]
    values, words = next((mark.values, mark.words) for mark in panel.marks if isinstance(mark, Pairs))
    count, size = len(values), 1.6 + 1.15 * len(values)
    canvas = Canvas(figsize=(size, size), dpi=110, facecolor=theme["paper"])
    grid = canvas.add_gridspec(count, count)
    axes = {}
    color, brief = theme[look(0).color], shortened(panel.names, 15)
    for i in range(count):
        for j in range(i + 1):
            axis = axes[i, j] = canvas.add_subplot(grid[i, j])
            if i == j:
                axis.hist(values[i], bins=15, color=theme["bars"])
            else:
                axis.plot(values[j], values[i], "o", markersize=2, color=color, alpha=0.5, markeredgewidth=0)
            paint(axis, theme)
            axis.locator_params(nbins=3)
            axis.tick_params(labelsize=7, labelbottom=i == count - 1, labelleft=j == 0 and i > 0)
            axis.tick_params(axis="x", rotation=30)
            for side, k in ((axis.xaxis, j), (axis.yaxis, i)):
                if k in words and (side is axis.xaxis or i != j):
                    side.set_ticks(range(len(words[k])), [shortened(words[k], 12)[word] for word in words[k]])
                    continue
                side.set_major_formatter(Powers(-2, 3))
                outside = i == count - 1 if side is axis.xaxis else j == 0 < i
                side.get_offset_text().set(fontsize=7, visible=outside)
            if i == count - 1:
                axis.set_xlabel(brief[panel.names[j]], fontsize=8, color=theme["ink"], labelpad=12)
            if j == 0:
                axis.set_ylabel(brief[panel.names[i]], fontsize=8, color=theme["ink"])
    canvas.subplots_adjust(left=1.0 / size, right=1 - 0.3 / size, bottom=1.0 / size, top=1 - 0.5 / size, hspace=0.12, wspace=0.12)
    canvas.align_ylabels([axes[i, 0] for i in range(count)])
    canvas.align_xlabels([axes[count - 1, j] for j in range(count)])
    _title(canvas, figure, theme, size)
    return canvas
