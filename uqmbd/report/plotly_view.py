"""Figures as plotly draws them, for the page."""

import numpy as np
import plotly.graph_objects as go
from plotly.io import to_html
from plotly.subplots import make_subplots

from uqmbd.figures.marks import SHADE, STYLES, Band, Bars, Curve, Figure, Level, Panel, Style

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


def html(figure: Figure) -> str:
    """The figure as a ``div`` with its script; plotly itself must be on the page already."""
    config = {"responsive": True, "displaylogo": False}
    return to_html(draw(figure), full_html=False, include_plotlyjs=False, config=config, default_height=f"{_height(figure)}px")


def draw(figure: Figure) -> go.Figure:
    """The figure as a plotly figure."""
    rows = len(figure.panels)
    heights = [panel.height for panel in figure.panels]
    plot = make_subplots(rows=rows, cols=1, shared_xaxes=True, vertical_spacing=0.045, row_heights=heights)
    shown: set[str] = set()
    for row, panel in enumerate(figure.panels, start=1):
        for mark in panel.marks:
            traces = _traces(mark, panel)
            traces[-1].showlegend = mark.label not in shown
            shown.add(mark.label)
            for trace in traces:
                plot.add_trace(trace.update(name=mark.label, legendgroup=mark.label), row=row, col=1)
        _axes(plot, panel, row, last=row == rows)
    if any(panel.shades for panel in figure.panels):
        symbol = dict(symbol="square", size=12, color=_rgba(SHADE.color, 0.35))
        plot.add_trace(go.Scatter(x=[None], y=[None], mode="markers", marker=symbol, name="not trusted"), row=1, col=1)
    plot.update_layout(
        template="plotly_white",
        height=_height(figure),
        margin=dict(l=80, r=20, t=34, b=96),
        font=dict(family=FONT, size=13),
        hovermode="closest" if figure.panels[0].equal else "x unified",
        legend=dict(orientation="h", yref="container", yanchor="bottom", y=0, x=0),
        shapes=[shape for row, panel in enumerate(figure.panels, start=1) for shape in _shades(panel, row)],
    )
    return plot


def short(values: np.ndarray) -> np.ndarray:
    """Single precision, which is half the page and more than a screen shows."""
    return np.asarray(values, np.float32)


def _height(figure: Figure) -> int:
    if figure.panels[0].equal:
        return 680
    return 150 + int(110 * sum(panel.height for panel in figure.panels)) if len(figure.panels) > 1 else 440


def _traces(mark: Curve | Band | Bars | Level, panel: Panel) -> list:
    if isinstance(mark, Bars):
        style = STYLES["bars"]
        middle = 0.5 * (mark.edges[1:] + mark.edges[:-1])
        colors = dict(color=_rgba(style.color, style.fill), line=dict(color="#ffffff", width=style.width))
        return [go.Bar(x=middle, y=mark.counts, width=np.diff(mark.edges), marker=colors)]
    if isinstance(mark, Level):
        top = max((bars.counts.max() for bars in panel.marks if isinstance(bars, Bars)), default=1)
        hover = f"{mark.label}: %{{x:.6g}}<extra></extra>"
        line = _line(STYLES[mark.style])
        return [go.Scatter(x=[mark.x, mark.x], y=[0, 1.05 * top], mode="lines", line=line, hovertemplate=hover)]
    if isinstance(mark, Curve):
        style = mark.look()
        thin = mark.style == "run"
        hover = dict(hoverinfo="skip") if thin else dict(hovertemplate="%{y:.6g}") if not panel.equal else {}
        x, y = short(mark.x), short(mark.y)
        return [go.Scatter(x=x, y=y, mode="lines", line=_line(style), opacity=style.opacity, **hover)]
    style = STYLES[mark.style]
    common = dict(x=short(mark.x), mode="lines", line=_line(style), hovertemplate="%{y:.6g}")
    filled = dict(fill="tonexty", fillcolor=_rgba(style.color, style.fill))
    return [go.Scatter(y=short(mark.lower), showlegend=False, **common), go.Scatter(y=short(mark.upper), **filled, **common)]


def _axes(plot: go.Figure, panel: Panel, row: int, *, last: bool) -> None:
    plot.update_xaxes(title_text=panel.x_label if last else None, exponentformat="power", zeroline=False, row=row, col=1)
    extra = dict(scaleanchor="x", scaleratio=1) if panel.equal else {}
    places = [mark.x for mark in panel.marks if isinstance(mark, Level)] + [mark.edges for mark in panel.marks if isinstance(mark, Bars)]
    if places:
        values = np.hstack(places)
        margin = 0.04 * np.ptp(values) or 0.04 * abs(values[0]) or 1.0
        plot.update_xaxes(range=[values.min() - margin, values.max() + margin], row=row, col=1)
    if panel.log:
        extra |= dict(type="log", dtick=_decades(panel), minor_showgrid=False)
    plot.update_yaxes(title_text=panel.y_label, exponentformat="power", zeroline=False, row=row, col=1, **extra)


def _decades(panel: Panel) -> int:
    """Decades between ticks, so that a small logarithmic panel has about four of them."""
    values = np.concatenate([mark.y for mark in panel.marks if isinstance(mark, Curve)])
    values = np.log10(values[np.isfinite(values) & (values > 0)])
    return max(1, round(np.ptp(values) / 4)) if len(values) else 1


def _shades(panel: Panel, row: int) -> list[dict]:
    suffix = "" if row == 1 else str(row)
    color = _rgba(SHADE.color, SHADE.fill)
    frame = dict(type="rect", xref=f"x{suffix}", yref=f"y{suffix} domain", y0=0, y1=1, fillcolor=color, line_width=0, layer="below")
    return [dict(frame, x0=start, x1=end) for start, end in panel.shades]


def _line(style: Style) -> dict:
    return dict(color=style.color, width=style.width, dash=style.dash)


def _rgba(color: str, opacity: float) -> str:
    red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"
