"""What a figure shows, said once: the page (plotly) and the PNG files (matplotlib) both draw these."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from uqmbd.figures.tiles import Tiles

UNSEEN = 1e-6  # of the largest number of a figure: what is smaller is shown as 0


@dataclass(frozen=True)
class Style:
    """How one role is drawn; ``color`` is a name in `uqmbd.figures.colors`, ``fill`` is the opacity of an area."""

    color: str
    width: float = 1.5
    dash: str = "solid"
    opacity: float = 1.0
    fill: float = 0.0


STYLES = {
    "run": Style("run", width=0.7, opacity=0.35),
    "outer": Style("outer", width=1.6, fill=0.10),
    "surrogate": Style("outer", width=1.5, dash="dash"),
    "inner": Style("inner", width=1.3, dash="dash"),
    "error": Style("error", width=1.3),
    "mean": Style("ink", width=1.8),
    "range": Style("fan", width=1.5, dash="dot"),
    "wide": Style("fan", width=0.8, fill=0.18),
    "narrow": Style("fan", width=0.8, fill=0.35),
    "box": Style("outer", width=1.3, fill=0.22),
    "confidence": Style("ink", width=0.6, fill=0.18),
    "whisker": Style("ink", width=1.0),
    "bars": Style("bars", width=0.8, fill=0.85),
    "path": Style("soft", width=0.9),
    "limit": Style("soft", width=1.2, dash="dot"),
    "alpha": Style("outer", width=0.7),
    "bounded": Style("outer", width=1.6, fill=0.16),
    "reached": Style("inner", width=1.2, fill=0.30),
}
COLORS = 8  # c0 ... c7: as many as stay apart for colour-blind readers
MANY = 60  # points
DASHES = ("solid", "dash", "dot")
SHADE = Style("shade", fill=0.16)


def look(style: str | int) -> Style:
    """How a role is drawn; a number is an entry of the cycle of colours, which come back with another dash when they are used up."""
    if isinstance(style, str):
        return STYLES[style]
    return Style(f"c{style % COLORS}", dash=DASHES[style // COLORS % len(DASHES)])


@dataclass(frozen=True)
class Curve:
    """A line through points; NaN breaks it. ``style`` is a key of `STYLES` or a number in the cycle of colours."""

    x: np.ndarray
    y: np.ndarray
    label: str
    style: str | int

    def look(self) -> Style:
        """How it is drawn."""
        return look(self.style)


@dataclass(frozen=True)
class Band:
    """The area between two curves over the same points. A numbered colour fills it lightly; `fill` is an opacity of its own."""

    x: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    label: str
    style: str | int
    fill: float | None = None

    def look(self) -> Style:
        """How it is drawn."""
        if self.fill is not None:
            return replace(look(self.style), fill=self.fill)
        return look(self.style) if isinstance(self.style, str) else replace(look(self.style), width=0.5, fill=0.15)


def of_level(x: np.ndarray, lower: np.ndarray, upper: np.ndarray, alpha: float) -> Band:
    """The band of a membership level: the higher the level, the darker, in the legend too."""
    return Band(x, lower, upper, f"α = {alpha:.3g}", "alpha", fill=0.06 + 0.2 * float(alpha))


@dataclass(frozen=True)
class Stack:
    """Areas on top of each other: ``shares`` is (areas, x), none below 0. The area ``rest``, if there is one, is drawn grey.

    ``colors`` are numbers in the cycle of colours; from the first on unless given.
    """

    x: np.ndarray
    shares: np.ndarray
    labels: tuple[str, ...]
    rest: int | None = None
    colors: tuple[int, ...] = ()

    def looks(self) -> list[Style]:
        """How each area is drawn."""
        colors = self.colors or range(len(self.labels))
        return [Style("run" if k == self.rest else f"c{c % COLORS}", width=0.6, fill=0.55) for k, c in enumerate(colors)]


@dataclass(frozen=True)
class Bars:
    """A histogram: ``counts`` between neighbouring ``edges`` (one more)."""

    edges: np.ndarray
    counts: np.ndarray
    label: str


@dataclass(frozen=True)
class Rows:
    """One horizontal bar for each of the panel's ``names``, from the top; whiskers from ``lower`` to ``upper`` where these are known.

    Several in a panel share the height of each row.
    """

    values: np.ndarray
    label: str
    style: int
    lower: np.ndarray | None = None
    upper: np.ndarray | None = None


@dataclass(frozen=True)
class Points:
    """Symbols with their names; ``sides`` says where each name stands (`uqmbd.figures.labels`), empty where there is no room.

    ``small`` ones are many along a line. Those ``on_curves`` are places on the curves of the panel.
    """

    x: np.ndarray
    y: np.ndarray
    names: tuple[str, ...]
    sides: tuple[str, ...]
    label: str
    style: int | str = 0
    small: bool = False
    on_curves: bool = False

    @property
    def many(self) -> bool:
        """Whether they are drawn small."""
        return self.small or len(self.x) > MANY


@dataclass(frozen=True)
class Dots:
    """Very many points without names, as fine as a screen shows them."""

    x: np.ndarray
    y: np.ndarray
    label: str
    style: int | str
    coarse: bool = False  # larger ones, where they are few

    def thinned(self, across: int, up: int) -> "Dots":
        """One point in each of so many cells; the first one stays where it is."""
        there = np.isfinite(self.x) & np.isfinite(self.y)
        x, y = self.x[there], self.y[there]
        if not len(x):
            return replace(self, x=x, y=y)
        cells = [np.floor((one - one.min()) * (count / ((np.ptp(one) or 1.0) * (1 + 1e-9)))) for one, count in ((x, across), (y, up))]
        _, first = np.unique(cells[0] * up + cells[1], return_index=True)
        return replace(self, x=x[first], y=y[first])


@dataclass(frozen=True)
class Cells:
    """A matrix of numbers, ``(names, columns)``, with the panel's ``names`` down its side; NaN is left blank.

    ``columns`` are the words above; the panel's names again unless given. The colour is full from ``top`` on, the largest value unless
    said. Without ``text`` the numbers are not written into the cells.
    """

    values: np.ndarray
    label: str
    columns: tuple[str, ...] = ()
    top: float | None = None
    text: bool = True

    def full(self) -> float:
        """The size at which the colour is full."""
        return self.top or float(np.nanmax(np.abs(self.values), initial=0.0)) or 1.0

    def said(self) -> list[list[str]]:
        """The numbers as text, with as many decimals as give the greatest two digits; empty where there is none."""
        if not self.text:
            return [[""] * self.values.shape[1] for _ in self.values]
        if self.columns:
            unseen = UNSEEN * self.full()
            return [["" if np.isnan(value) else f"{value:.2g}" if abs(value) > unseen else "0" for value in row] for row in self.values]
        greatest = np.nanmax(np.abs(self.values), initial=0.0)
        decimals = int(np.clip(1 - np.floor(np.log10(greatest)), 0, 4)) if greatest > 0 else 0
        return [["" if np.isnan(value) else f"{value:.{decimals}f}" for value in row] for row in self.values]


@dataclass(frozen=True)
class Pairs:
    """Every variable against every other: ``values`` is (variables, runs). The panel's ``names`` are theirs.

    ``words`` has, by the number of a variable, what stands along its axes in place of the numbers from 0.
    """

    values: np.ndarray
    label: str
    words: Mapping[int, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Level:
    """A vertical line at ``x`` through the whole panel."""

    x: float
    label: str
    style: str


@dataclass(frozen=True)
class Image:
    """A picture of numbers ``values`` (y, x) at ascending ``y`` and ``x``; NaN is left blank. ``label`` stands at its scale of colours.

    No value below 0: from the paper to one colour; else from another colour through the paper. The colours reach to ``top``, the
    largest value unless said; what lies beyond has the last one.
    """

    x: np.ndarray
    y: np.ndarray
    values: np.ndarray
    label: str
    top: float | None = None

    def ends(self) -> tuple[float, float]:
        """Values of both ends of the scale of colours."""
        greatest = self.top or float(np.nanmax(np.abs(self.values), initial=0.0)) or 1.0
        return (-greatest if np.nanmin(self.values, initial=0.0) < 0 else 0.0), greatest

    def ramp(self) -> list[tuple[float, str, float]]:
        """Places in the scale (0 to 1), names of colours and their opacity over the paper."""
        steps = ((0.0, 0.0), (0.5, 0.55), (1.0, 1.0))
        if self.ends()[0] == 0.0:
            return [(at, "outer", opacity) for at, opacity in steps]
        below = [(0.5 - 0.5 * at, "inner", opacity) for at, opacity in reversed(steps)]
        return below + [(0.5 + 0.5 * at, "outer", opacity) for at, opacity in steps]  # both colours end in the paper


def _lines_of(mark: Curve | Band) -> tuple[np.ndarray, ...]:
    return (mark.y,) if isinstance(mark, Curve) else (mark.lower, mark.upper)


Mark = Curve | Band | Stack | Bars | Rows | Points | Dots | Tiles | Cells | Pairs | Level | Image


@dataclass(frozen=True)
class Panel:
    """One pair of axes. ``shades`` are spans of x that are not trusted; ``names`` are those of rows, cells or variables.

    A ``bare`` one has nothing along its vertical axis, which reaches from 0 to 1; a ``counted`` one has whole numbers along the other.
    """

    x_label: str
    y_label: str
    marks: tuple[Mark, ...]
    shades: tuple[tuple[float, float], ...] = ()
    height: float = 1.0
    log: bool = False
    equal: bool = False
    names: tuple[str, ...] = ()
    bare: bool = False
    counted: bool = False

    @property
    def named(self) -> bool:
        """Whether names stand along its vertical axis."""
        return any(isinstance(mark, (Rows, Cells)) for mark in self.marks)

    def extent(self) -> tuple[float, float]:
        """Least and greatest place of its bands, points and levels along the horizontal axis."""
        x = np.concatenate([np.ravel(mark.x) for mark in self.marks if isinstance(mark, (Band, Curve, Points, Dots, Level))])
        return float(np.nanmin(x)), float(np.nanmax(x))

    def height_of_curves(self) -> tuple[float, float] | None:
        """Least and greatest value of its curves and bands; none beside bars, or where it has none."""
        lines = [part for mark in self.marks if isinstance(mark, (Curve, Band)) for part in _lines_of(mark)]
        if not lines or any(isinstance(mark, Bars) for mark in self.marks):
            return None
        values = np.concatenate([np.ravel(line) for line in lines])
        return float(np.nanmin(values)), float(np.nanmax(values))

    def places_of(self, rows: Rows) -> tuple[np.ndarray, float]:
        """Where the middle of each bar of one of the panel's rows lies, in units of a row from the top, and the height of a bar."""
        every = [mark for mark in self.marks if isinstance(mark, Rows)]
        number = next(k for k, mark in enumerate(every) if mark is rows)
        height = 0.8 / len(every)
        return np.arange(len(rows.values)) + height * (number - 0.5 * (len(every) - 1)), 0.9 * height


@dataclass(frozen=True)
class Figure:
    """Panels above each other that share x, under a title, with a sentence or two of caption.

    An ``overview`` shows at once what the other figures of its section show one by one. One that is ``growing`` says how an answer comes
    about with the runs: the pages of studies under way show it.
    """

    key: str
    title: str
    panels: tuple[Panel, ...]
    caption: tuple[str, ...] = field(default=())
    overview: bool = False
    growing: bool = False

    @property
    def square(self) -> bool:
        """Whether it needs as much height as width."""
        return self.panels[0].equal or any(isinstance(mark, Pairs) for mark in self.panels[0].marks)
