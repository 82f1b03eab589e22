"""Figures as plotly draws them, for the page."""

import json

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from uqmbd.figures.labels import shortened
from uqmbd.figures.marks import SHADE, Bars, Cells, Curve, Figure, Image, Level, Pairs, Panel, Points, Rows
from uqmbd.report.plotly_marks import color, traces

LABEL = 42  # characters in a legend
FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


def script(figure: Figure) -> str:
    """The figure as JSON that may stand in a ``<script>`` element.

    The page's script replaces two things: names of colours, and ``{"as": k}`` for x that are those of trace k, which half of a page of
    histories would be.
    """
    drawn = json.loads(draw(figure).to_json())
    seen: dict[str, int] = {}
    for number, trace in enumerate(drawn["data"]):
        if isinstance(trace.get("x"), dict) and (first := seen.setdefault(trace["x"]["bdata"], number)) != number:
            trace["x"] = {"as": first}
    return json.dumps(drawn, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def draw(figure: Figure) -> go.Figure:
    """The figure as a plotly figure."""
    if any(isinstance(mark, Pairs) for mark in figure.panels[0].marks):
        return _scatter_matrix(figure)
    rows = len(figure.panels)
    heights = [panel.height for panel in figure.panels]
    plot = make_subplots(rows=rows, cols=1, shared_xaxes=True, vertical_spacing=0.045, row_heights=heights)
    drawn = [[pair for mark in panel.marks for pair in traces(mark, panel)] for panel in figure.panels]
    labels = list(dict.fromkeys(label for panel in drawn for label, _ in panel if label))
    brief = shortened(labels, LABEL) | {"": ""}
    alone = len(labels) == 1 and figure.panels[0].named
    seen: set[str] = set()
    for row, (panel, pairs) in enumerate(zip(figure.panels, drawn, strict=True), start=1):
        for label, trace in pairs:
            trace.update(name=brief[label], showlegend=bool(label) and label not in seen and not alone)
            if label:
                trace.legendgroup = label
            seen.add(label)
            plot.add_trace(trace, row=row, col=1)
        _axes(plot, panel, row, last=row == rows)
    if any(panel.shades for panel in figure.panels):
        symbol = dict(symbol="square", size=12, color=color(SHADE.color, 0.35))
        plot.add_trace(go.Scatter(x=[None], y=[None], mode="markers", marker=symbol, name="not trusted"), row=1, col=1)
    first = figure.panels[0]
    scattered = any(isinstance(mark, Points) and not mark.on_curves for mark in first.marks)
    over_time = not (figure.square or first.named or scattered or any(isinstance(mark, Image) for mark in first.marks))
    pictures = any(isinstance(mark, Image) for mark in figure.panels[-1].marks)
    plot.update_layout(
        height=height(figure),
        margin=dict(l=80, r=20, t=34, b=60 if pictures else 96),
        hovermode="x unified" if over_time else "closest",
        legend=dict(orientation="h", yref="container", yanchor="bottom", y=0, x=0),
        shapes=[shape for row, panel in enumerate(figure.panels, start=1) for shape in _shades(panel, row)],
        barmode="overlay",
        **_paint(),
    )
    return plot


def _paint() -> dict:
    """What all figures have: fonts and colours of the page."""
    return dict(
        template="none",
        font=dict(family=FONT, size=13, color=color("ink")),
        paper_bgcolor=color("paper"),
        plot_bgcolor=color("paper"),
        hoverlabel=dict(bgcolor=color("back"), bordercolor=color("line"), font=dict(color=color("ink"))),
        modebar=dict(bgcolor=color("paper"), color=color("soft"), activecolor=color("ink")),
        uirevision="kept",
    )


def height(figure: Figure) -> int:
    """Height of the figure on the page before its legend is laid out [pixels]."""
    panels = figure.panels
    if any(isinstance(mark, Pairs) for mark in panels[0].marks):
        return max(420, 150 + 95 * len(panels[0].names))
    if figure.square:
        return 680
    if len(panels) > 1:
        return 150 + int(110 * sum(panel.height for panel in panels))
    names, bars = len(panels[0].names), sum(isinstance(mark, Rows) for mark in panels[0].marks)
    if any(isinstance(mark, Cells) for mark in panels[0].marks):
        return 200 + 38 * names
    return 160 + max(90, names * (16 + 12 * bars)) if bars else 440


def _axes(plot: go.Figure, panel: Panel, row: int, *, last: bool) -> None:
    lines = dict(gridcolor=color("grid"), zeroline=False, title_standoff=10, row=row, col=1)
    plot.update_xaxes(title_text=panel.x_label if last else None, exponentformat="power", **lines)
    extra = dict(scaleanchor="x", scaleratio=1) if panel.equal else {}
    places = [mark.x for mark in panel.marks if isinstance(mark, Level)] + [mark.edges for mark in panel.marks if isinstance(mark, Bars)]
    if places:
        values = np.hstack(places)
        margin = 0.04 * np.ptp(values) or 0.04 * abs(values[0]) or 1.0
        plot.update_xaxes(range=[values.min() - margin, values.max() + margin], row=row, col=1)
    if panel.log:
        extra |= dict(type="log", dtick=_decades(panel), minor_showgrid=False)
    if panel.named:
        brief = shortened(panel.names)
        words = dict(tickmode="array", tickvals=list(range(len(panel.names))), ticktext=[brief[name] for name in panel.names])
        extra |= dict(words, range=[len(panel.names) - 0.4, -0.6], showgrid=False)
        for mark in panel.marks:
            if isinstance(mark, Cells):
                above = {at: word for at, word in enumerate(mark.columns or words["ticktext"]) if word}
                shown = dict(tickmode="array", tickvals=list(above), ticktext=list(shortened(list(above.values())).values()))
                plot.update_xaxes(**shown, automargin=True, tickangle=-40 if mark.text else 0, showgrid=False, row=row, col=1)
    plot.update_yaxes(title_text=panel.y_label, exponentformat="power", automargin="left", **lines | extra)


def _decades(panel: Panel) -> int:
    """Decades between ticks, so that a small logarithmic panel has four of them at most."""
    values = np.concatenate([mark.y for mark in panel.marks if isinstance(mark, Curve)])
    values = np.log10(values[np.isfinite(values) & (values > 0)])
    return max(1, int(np.ceil(np.ptp(values) / 3))) if len(values) else 1


def _shades(panel: Panel, row: int) -> list[dict]:
    suffix = "" if row == 1 else str(row)
    filled = color(SHADE.color, SHADE.fill)
    frame = dict(type="rect", xref=f"x{suffix}", yref=f"y{suffix} domain", y0=0, y1=1, fillcolor=filled, line_width=0, layer="below")
    return [dict(frame, x0=start, x1=end) for start, end in panel.shades]


def _scatter_matrix(figure: Figure) -> go.Figure:
    """Every variable against every other; what is marked in one field is marked in all."""
    panel = figure.panels[0]
    ((_, trace),) = traces(panel.marks[0], panel)
    count = len(panel.names)
    axis = dict(tickfont=dict(size=9), title=dict(font=dict(size=11)), nticks=4, gridcolor=color("grid"), zeroline=False)
    axes = {f"{side}axis{k if k > 1 else ''}": dict(axis, exponentformat="power") for side in "xy" for k in range(1, count + 1)}
    size = dict(height=height(figure), margin=dict(l=80, r=20, t=34, b=70))
    return go.Figure(trace, go.Layout(dragmode="select", hovermode="closest", showlegend=False, **size, **axes, **_paint()))
