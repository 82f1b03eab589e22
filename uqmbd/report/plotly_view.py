"""Figures as plotly draws them, for the page: plain mappings with the keys of plotly's JSON."""

import json
from base64 import b64encode
from typing import Any

import numpy as np

from uqmbd.figures.labels import shortened
from uqmbd.figures.marks import SHADE, Bars, Cells, Curve, Dots, Figure, Image, Level, Pairs, Panel, Points, Rows
from uqmbd.figures.tiles import Tiles
from uqmbd.report.plotly_marks import color, traces

LABEL = 42  # characters in a legend
BARE = 290  # pixels: height of a figure with nothing along its vertical axis
GAP = 0.045  # between panels, of the height of all
COUNTED = 12  # whole numbers along an axis that each have a line
FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


def script(figure: Figure) -> str:
    """The figure as JSON that may stand in a ``<script>`` element.

    The page's script replaces two things: names of colours, and ``{"as": k}`` for x that are those of trace k, which half of a page of
    histories would be.
    """
    drawn = plain(draw(figure))
    seen: dict[str, int] = {}
    for number, trace in enumerate(drawn["data"]):
        if isinstance(trace.get("x"), dict) and (first := seen.setdefault(trace["x"]["bdata"], number)) != number:
            trace["x"] = {"as": first}
    return json.dumps(drawn, separators=(",", ":"), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def plain(value: Any) -> Any:
    """What JSON has: arrays of floats as plotly reads them (type, bytes in base 64, shape), numbers that are none as null."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        encoded = {"dtype": f"f{value.dtype.itemsize}", "bdata": b64encode(np.ascontiguousarray(value).tobytes()).decode()}
        return encoded if value.ndim == 1 else encoded | {"shape": ", ".join(map(str, value.shape))}
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    return None if isinstance(value, float) and not np.isfinite(value) else value


def draw(figure: Figure) -> dict[str, Any]:
    """The figure with plotly's keys ``data`` and ``layout``; ``plotly.graph_objects.Figure`` takes it as well."""
    if any(isinstance(mark, Pairs) for mark in figure.panels[0].marks):
        return _scatter_matrix(figure)
    drawn = [[pair for mark in panel.marks for pair in traces(mark, panel)] for panel in figure.panels]
    labels = list(dict.fromkeys(label for panel in drawn for label, _ in panel if label))
    brief = shortened(labels, LABEL) | {"": ""}
    alone = len(labels) == 1 and figure.panels[0].named
    seen: set[str] = set()
    data = []
    for row, pairs in enumerate(drawn, start=1):
        for label, trace in pairs:
            shown = dict(name=brief[label], showlegend=bool(label) and label not in seen and not alone)
            data.append(trace | shown | ({"legendgroup": label} if label else {}) | _place(row))
            seen.add(label)
    if any(panel.shades for panel in figure.panels):
        symbol = dict(symbol="square", size=12, color=color(SHADE.color, 0.35))
        data.append(dict(type="scatter", x=[None], y=[None], mode="markers", marker=symbol, name="not trusted", **_place(1)))
    first = figure.panels[0]
    scattered = any(isinstance(mark, (Dots, Tiles)) or (isinstance(mark, Points) and not mark.on_curves) for mark in first.marks)
    over_time = not (figure.square or first.named or first.bare or scattered or any(isinstance(mark, Image) for mark in first.marks))
    pictures = any(isinstance(mark, Image) for mark in figure.panels[-1].marks)
    layout = dict(
        height=height(figure),
        margin=dict(l=80, r=20, t=34, b=60 if pictures else 96),
        hovermode="x unified" if over_time else "closest",
        legend=dict(orientation="h", yref="container", yanchor="bottom", y=0, x=0),
        shapes=[shape for row, panel in enumerate(figure.panels, start=1) for shape in _shades(panel, row)],
        barmode="overlay",
        **_axes(figure.panels),
        **_paint(),
    )
    return {"data": data, "layout": layout}


def _suffix(row: int) -> str:
    """Of the names of a panel's axes."""
    return "" if row == 1 else str(row)


def _place(row: int) -> dict[str, str]:
    return {"xaxis": f"x{_suffix(row)}", "yaxis": f"y{_suffix(row)}"}


def _paint() -> dict[str, Any]:
    """What all figures have: fonts and colours of the page."""
    return dict(
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
    if len(panels) != 1:
        return 150 + int(110 * sum(panel.height for panel in panels))
    if panels[0].bare:
        return BARE
    names, bars = len(panels[0].names), sum(isinstance(mark, Rows) for mark in panels[0].marks)
    if any(isinstance(mark, Cells) for mark in panels[0].marks):
        return 200 + 38 * names
    return 160 + max(90, names * (16 + 12 * bars)) if bars else 440


def _axes(panels: tuple[Panel, ...]) -> dict[str, dict[str, Any]]:
    """The axes of all panels, which lie one above the other and share their times."""
    room = (1.0 - GAP * (len(panels) - 1)) / sum(panel.height for panel in panels)
    axes, top = {}, 1.0
    for row, panel in enumerate(panels, start=1):
        last, bottom = row == len(panels), top - room * panel.height
        x, y = _axes_of(panel, last=last)
        shared = {} if last else {"matches": f"x{_suffix(len(panels))}", "showticklabels": False}
        axes[f"xaxis{_suffix(row)}"] = dict(anchor=f"y{_suffix(row)}", domain=[0.0, 1.0], **shared) | x
        axes[f"yaxis{_suffix(row)}"] = dict(anchor=f"x{_suffix(row)}", domain=[0.0 if last else bottom, top]) | y
        top = bottom - GAP
    return axes


def _axes_of(panel: Panel, *, last: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """The horizontal and the vertical axis of one panel."""
    lines: dict[str, Any] = dict(gridcolor=color("grid"), zeroline=False, exponentformat="power")
    x = lines | {"title": {"text": panel.x_label, "standoff": 10} if last else {"standoff": 10}}
    y = lines | {"title": {"text": panel.y_label, "standoff": 10}, "automargin": "left"}
    if panel.equal:
        y |= dict(scaleanchor="x", scaleratio=1)
    places = [mark.x for mark in panel.marks if isinstance(mark, Level)] + [mark.edges for mark in panel.marks if isinstance(mark, Bars)]
    if places:
        values = np.hstack([*places, panel.extent()] if panel.height_of_curves() else places)
        margin = 0.04 * np.ptp(values) or 0.04 * abs(values[0]) or 1.0
        x["range"] = [values.min() - margin, values.max() + margin]
    if panel.bare:
        y |= dict(range=[0, 1], showgrid=False, showticklabels=False, fixedrange=True)
        x["range"] = _around(panel)
    if panel.counted and np.ptp(panel.extent()) < COUNTED:
        x |= dict(tick0=0, dtick=1)  # of more than that the page finds whole ones by itself
    if panel.log:
        y |= dict(type="log", dtick=_decades(panel), minor=dict(showgrid=False))
    if panel.named:
        brief = shortened(panel.names)
        words = dict(tickmode="array", tickvals=list(range(len(panel.names))), ticktext=[brief[name] for name in panel.names])
        y |= dict(words, range=[len(panel.names) - 0.4, -0.6], showgrid=False)
        for mark in panel.marks:
            if isinstance(mark, Cells):
                above: dict[int, str] = {at: str(word) for at, word in enumerate(mark.columns or words["ticktext"]) if word}
                shown = dict(tickmode="array", tickvals=list(above), ticktext=list(shortened(list(above.values())).values()))
                x |= dict(shown, automargin=True, tickangle=-40 if mark.text else 0, showgrid=False)
    return x, y


def _around(panel: Panel) -> list[float]:
    """Ends of the horizontal axis of a bare panel: room beside its marks for their names."""
    low, high = panel.extent()
    margin = 0.15 * (high - low) or 0.04 * abs(low) or 1.0
    return [low - margin, high + margin]


def _decades(panel: Panel) -> int:
    """Decades between ticks, so that a small logarithmic panel has four of them at most."""
    values = np.concatenate([mark.y for mark in panel.marks if isinstance(mark, Curve)])
    values = np.log10(values[np.isfinite(values) & (values > 0)])
    return max(1, int(np.ceil(np.ptp(values) / 3))) if len(values) else 1


def _shades(panel: Panel, row: int) -> list[dict[str, Any]]:
    place = _place(row)
    filled = color(SHADE.color, SHADE.fill)
    frame = dict(type="rect", xref=place["xaxis"], yref=f"{place['yaxis']} domain", y0=0, y1=1, fillcolor=filled, layer="below")
    return [dict(frame, x0=start, x1=end, line=dict(width=0)) for start, end in panel.shades]


def _words_of(panel: Panel) -> dict[int, list[str]]:
    """What stands along the axes of variables of a scatter matrix, short, by their numbers."""
    words = next(mark.words for mark in panel.marks if isinstance(mark, Pairs))
    return {k: [shortened(said, 12)[word] for word in said] for k, said in words.items()}


def _scatter_matrix(figure: Figure) -> dict[str, Any]:
    """Every variable against every other; what is marked in one field is marked in all."""
    panel = figure.panels[0]
    ((_, trace),) = traces(panel.marks[0], panel)
    count = len(panel.names)
    axis = dict(tickfont=dict(size=9), title=dict(font=dict(size=11)), nticks=4, gridcolor=color("grid"), zeroline=False)
    ticks = {k: dict(tickmode="array", tickvals=list(range(len(said))), ticktext=list(said)) for k, said in _words_of(panel).items()}
    numbers = range(1, count + 1)
    axes = {f"{side}axis{_suffix(k)}": dict(axis, exponentformat="power") | ticks.get(k - 1, {}) for side in "xy" for k in numbers}
    size = dict(height=height(figure), margin=dict(l=80, r=20, t=34, b=70))
    return {"data": [trace], "layout": dict(dragmode="select", hovermode="closest", showlegend=False, **size, **axes, **_paint())}
