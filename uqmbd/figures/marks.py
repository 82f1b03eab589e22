"""What a figure shows, said once: the page (plotly) and the PNG files (matplotlib) both draw these."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Style:
    """How one role is drawn; colours are ``#rrggbb``, ``fill`` is the opacity of an area."""

    color: str
    width: float = 1.5
    dash: str = "solid"
    opacity: float = 1.0
    fill: float = 0.0


STYLES = {
    "run": Style("#8a8f98", width=0.7, opacity=0.35),
    "outer": Style("#1f4e9c", width=1.6, fill=0.10),
    "inner": Style("#d1731b", width=1.3, dash="dash"),
    "error": Style("#7a3b8f", width=1.3),
    "mean": Style("#111111", width=1.8),
    "range": Style("#5f9ea0", width=0.9, dash="dot"),
    "wide": Style("#2a9d8f", width=0.8, fill=0.18),
    "narrow": Style("#2a9d8f", width=0.8, fill=0.35),
    "confidence": Style("#111111", width=0.6, fill=0.18),
    "bars": Style("#7d93b8", width=0.8, fill=0.85),
    "limit": Style("#444444", width=1.2, dash="dot"),
}
CYCLE = ("#2a9d8f", "#b3304f", "#8c7a1f", "#3f8fc4", "#7a3b8f", "#d1731b", "#1f4e9c", "#5b5b5b")
SHADE = Style("#d9822b", fill=0.16)


@dataclass(frozen=True)
class Curve:
    """A line through points; NaN breaks it. ``style`` is a key of `STYLES` or a number into `CYCLE`."""

    x: np.ndarray
    y: np.ndarray
    label: str
    style: str | int

    def look(self) -> Style:
        """How it is drawn."""
        return STYLES[self.style] if isinstance(self.style, str) else Style(CYCLE[self.style % len(CYCLE)])


@dataclass(frozen=True)
class Band:
    """The area between two curves over the same points."""

    x: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    label: str
    style: str


@dataclass(frozen=True)
class Bars:
    """A histogram: ``counts`` between neighbouring ``edges`` (one more)."""

    edges: np.ndarray
    counts: np.ndarray
    label: str


@dataclass(frozen=True)
class Level:
    """A vertical line at ``x`` through the whole panel."""

    x: float
    label: str
    style: str


@dataclass(frozen=True)
class Panel:
    """One pair of axes. ``shades`` are spans of x that are not trusted."""

    x_label: str
    y_label: str
    marks: tuple[Curve | Band | Bars | Level, ...]
    shades: tuple[tuple[float, float], ...] = ()
    height: float = 1.0
    log: bool = False
    equal: bool = False


@dataclass(frozen=True)
class Figure:
    """Panels above each other that share x, under a title, with a sentence or two of caption."""

    key: str
    title: str
    panels: tuple[Panel, ...]
    caption: tuple[str, ...] = field(default=())
