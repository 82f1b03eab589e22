"""Marks as plotly draws them. Colours are names of CSS variables, ``var(--ink)`` or ``var(--ink@0.3)``, which the page fills in.

A trace is a plain mapping with the keys of plotly's own JSON: its Python classes check every value, which takes longer than a small study.
"""

from typing import Any

import numpy as np

from uqmbd.figures.labels import NARROW_LETTER, places, shortened
from uqmbd.figures.marks import STYLES, Band, Bars, Cells, Curve, Dots, Image, Level, Mark, Pairs, Panel, Points, Rows, Stack, Style, look
from uqmbd.figures.tiles import Tiles

SIDES = {"right": "middle right", "left": "middle left", "top": "top center", "bottom": "bottom center", "": "middle right"}


def color(name: str, opacity: float = 1.0) -> str:
    """A colour of the theme as the page's script finds it."""
    return f"var(--{name})" if opacity == 1.0 else f"var(--{name}@{opacity:g})"


def single(values: np.ndarray) -> np.ndarray:
    """Single precision, which is half the page and more than a screen shows."""
    return np.asarray(values, np.float32)


def traces(mark: Mark, panel: Panel) -> list[tuple[str, dict[str, Any]]]:
    """The traces of one mark, each with its label in the legend; an empty label has none."""
    if isinstance(mark, Stack):
        return list(zip(mark.labels, _stack(mark), strict=True))
    if isinstance(mark, Band):
        lower, upper = _band(mark)
        return [("", lower), (mark.label, upper)]
    if isinstance(mark, Pairs):
        return [("", _pairs(mark, panel))]
    if isinstance(mark, Cells):
        return [("", _cells(mark, panel))]
    if isinstance(mark, Image):
        return [("", _image(mark, panel))]
    draw = {Bars: _bars, Rows: _rows, Points: _points, Dots: _dots, Tiles: _tiles, Level: _level, Curve: _curve}[type(mark)]
    return [(mark.label, draw(mark, panel))]


def _line(style: Style) -> dict:
    return dict(color=color(style.color), width=style.width, dash=style.dash)


def _curve(mark: Curve, panel: Panel) -> dict:
    style = mark.look()
    hover = dict(hoverinfo="skip") if mark.style == "run" else dict(hovertemplate="%{y:.6g}") if not panel.equal else {}
    return dict(type="scatter", x=single(mark.x), y=single(mark.y), mode="lines", line=_line(style), opacity=style.opacity, **hover)


def _band(mark: Band) -> list[dict]:
    style = mark.look()
    common = dict(x=single(mark.x), mode="lines", line=_line(style), hovertemplate="%{y:.6g}")
    filled = dict(fill="tonexty", fillcolor=color(style.color, style.fill))
    return [dict(type="scatter", y=single(mark.lower), **common), dict(type="scatter", y=single(mark.upper), **filled, **common)]


def _stack(mark: Stack) -> list[dict]:
    return [
        dict(
            type="scatter", x=single(mark.x), y=single(np.nan_to_num(share)), mode="lines", stackgroup="one", hovertemplate="%{y:.3f}",
            line=dict(color=color(style.color), width=style.width), fillcolor=color(style.color, style.fill),
        )
        for share, style in zip(mark.shares, mark.looks(), strict=True)
    ]  # fmt: skip


def _level(mark: Level, panel: Panel) -> dict:
    top = max((bars.counts.max() for bars in panel.marks if isinstance(bars, Bars)), default=1)
    ends = panel.height_of_curves() or (0.0, 1.05 * top)
    hover = f"{mark.label}: %{{x:.6g}}<extra></extra>"
    return dict(type="scatter", x=[mark.x, mark.x], y=list(ends), mode="lines", line=_line(STYLES[mark.style]), hovertemplate=hover)


def _bars(mark: Bars, panel: Panel) -> dict:
    style = STYLES["bars"]
    middle = 0.5 * (mark.edges[1:] + mark.edges[:-1])
    colors = dict(color=color(style.color, style.fill), line=dict(color=color("paper"), width=style.width))
    return dict(type="bar", x=middle, y=mark.counts, width=np.diff(mark.edges), marker=colors)


def _rows(mark: Rows, panel: Panel) -> dict:
    at, height = panel.places_of(mark)
    more = {}
    if mark.lower is not None and mark.upper is not None:
        ends = dict(array=mark.upper - mark.values, arrayminus=mark.values - mark.lower)
        more["error_x"] = dict(type="data", symmetric=False, color=color("ink"), thickness=1, width=3, **ends)
    hover = dict(customdata=list(panel.names), hovertemplate=f"%{{customdata}}, {mark.label}: %{{x:.4g}}<extra></extra>")
    marker = dict(color=color(look(mark.style).color, 0.85))
    return dict(type="bar", x=mark.values, y=at, width=height, orientation="h", marker=marker, **hover, **more)


def _points(mark: Points, panel: Panel) -> dict:
    brief = shortened(mark.names) if any(mark.sides) else {}
    text = [brief[name] if side else "" for name, side in zip(mark.names, mark.sides, strict=True)]
    hover = dict(customdata=list(mark.names), hovertemplate="%{customdata}: %{x:.4g}, %{y:.4g}<extra></extra>")
    marker = dict(color=color(look(mark.style).color), size=(5 if mark.small else 4) if mark.many else 8)
    side = [SIDES[side] for side in mark.sides]
    narrow = {}
    if brief and not mark.on_curves:  # which have the places that they were given
        sides = places(mark.x, mark.y, list(brief.values()), NARROW_LETTER)
        shown = [name if side else "" for name, side in zip(brief.values(), sides, strict=True)]
        narrow = dict(meta=dict(text=shown, textposition=[SIDES[side] for side in sides]))
    return dict(
        type="scatter", x=mark.x, y=mark.y, mode="markers+text", text=text, textposition=side, marker=marker, cliponaxis=False,
        **narrow, **hover,
    )  # fmt: skip


def _dots(mark: Dots, panel: Panel) -> dict:
    """By the graphics card: tens of thousands of elements of a page would take seconds."""
    marker = dict(color=color(look(mark.style).color), size=4 if mark.coarse else 2, line=dict(width=0))
    return dict(type="scattergl", x=single(mark.x), y=single(mark.y), mode="markers", marker=marker, hovertemplate="%{x:.5g}, %{y:.5g}")


def _tiles(mark: Tiles, panel: Panel) -> dict:
    """One outline for all, with gaps."""
    x, y = (single(np.pad(one, ((0, 0), (0, 1)), constant_values=np.nan).ravel()) for one in mark.outlines())
    line = dict(color=color(look(mark.style).color), width=0.3)
    return dict(
        type="scatter", x=x, y=y, mode="lines", line=line, fill="toself", fillcolor=line["color"], hoveron="fills", hoverinfo="name"
    )


def _cells(mark: Cells, panel: Panel) -> dict:
    name = look(0).color
    names, columns = np.array(panel.names, object), np.array(mark.columns or panel.names, object)
    who = np.stack(np.broadcast_arrays(names[:, None], columns[None, :]), axis=-1).tolist()
    gap = 2 if mark.text else 0
    return dict(
        type="heatmap", z=np.abs(mark.values), text=mark.said(), texttemplate="%{text}", textfont=dict(color=color("ink")), customdata=who,
        hovertemplate="%{customdata[0]} × %{customdata[1]}: %{z:.3g}<extra></extra>", xgap=gap, ygap=2, zmin=0, zmax=mark.full(),
        hoverongaps=False,
        colorscale=[[0, color(name, 0.02)], [1, color(name, 0.6)]], showscale=False,
    )  # fmt: skip


def _image(mark: Image, panel: Panel) -> dict:
    low, high = mark.ends()
    title = dict(text=mark.label, side="right")
    bar = dict(title=title, exponentformat="power", outlinecolor=color("line"), thickness=14, tickcolor=color("ink"))
    return dict(
        type="heatmap", x=single(mark.x), y=single(mark.y), z=single(mark.values), zmin=low, zmax=high, colorbar=bar, hoverongaps=False,
        colorscale=[[at, color(name, opacity)] for at, name, opacity in mark.ramp()],
        hovertemplate="%{x:.4g}, %{y:.4g}: %{z:.4g}<extra></extra>",
    )  # fmt: skip


def _pairs(mark: Pairs, panel: Panel) -> dict:
    marker = dict(color=color("c0", 0.55), size=4, line=dict(width=0))
    brief = shortened(panel.names, 15)
    dimensions = [dict(label=brief[name], values=single(values)) for name, values in zip(panel.names, mark.values, strict=True)]
    shown = dict(diagonal=dict(visible=False), showupperhalf=False, unselected=dict(marker=dict(opacity=0.1)))
    return dict(type="splom", dimensions=dimensions, marker=marker, **shown)
