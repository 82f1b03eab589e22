"""What a figure shows, in words, for readers who cannot see it."""

import numpy as np

from uqmbd.figures.marks import Band, Bars, Cells, Curve, Dots, Figure, Image, Level, Mark, Pairs, Panel, Points, Rows, Stack
from uqmbd.figures.tiles import Tiles

LEADING = 3  # names that are said


def alternative(figure: Figure) -> str:
    """Title, then each panel: what is against what, and the range of each mark."""
    return " ".join([f"{figure.title}.", *(_panel(panel) for panel in figure.panels)])


def _panel(panel: Panel) -> str:
    axes = " over ".join(label for label in (panel.y_label, panel.x_label) if label)
    said = dict.fromkeys(text for mark in panel.marks if (text := _said(mark, panel)))
    return f"{axes}{': ' if axes else ''}{'; '.join(said)}."


def _said(mark: Mark, panel: Panel) -> str:
    if isinstance(mark, Curve):
        return mark.label + _range(mark.y)
    if isinstance(mark, Band):
        return mark.label + _range(mark.x if panel.bare else np.hstack([mark.lower, mark.upper]))
    if isinstance(mark, Level):
        return f"{mark.label} at {mark.x:.4g}"
    if isinstance(mark, Bars):
        return mark.label + _range(mark.edges)
    if isinstance(mark, Stack):
        return "shares on average: " + ", ".join(
            f"{name} {share:.2g}" for name, share in zip(mark.labels, np.nan_to_num(mark.shares).mean(axis=1), strict=True)
        )
    if isinstance(mark, Tiles):
        return f"{mark.label} in {len(mark.left)} areas"
    if isinstance(mark, Dots):
        return f"{mark.label}{_range(mark.y)}"
    if isinstance(mark, Points) and not any(mark.sides):
        return f"{len(mark.y)} {mark.label}{_range(mark.y)}"
    if isinstance(mark, Points) and mark.on_curves:
        return f"{mark.label}: " + ", ".join(f"{name} at {x:.4g}" for name, x in zip(mark.names, mark.x, strict=True))
    if isinstance(mark, (Rows, Points)):
        names, values = (panel.names, mark.values) if isinstance(mark, Rows) else (mark.names, mark.x)
        order = np.argsort(-np.nan_to_num(np.abs(values)), kind="stable")[:LEADING]
        return f"{mark.label}, the largest: " + ", ".join(f"{names[k]} {values[k]:.3g}" for k in order)
    if isinstance(mark, Cells):
        i, j = np.unravel_index(np.nanargmax(np.abs(mark.values)), mark.values.shape)
        of = f"{len(panel.names)} by {len(mark.columns)}" if mark.columns else f"{len(panel.names)} inputs"
        return f"matrix of {of}, the largest: {panel.names[i]} × {(mark.columns or panel.names)[j]} {mark.values[i, j]:.3g}"
    if isinstance(mark, Image):
        i, j = np.unravel_index(np.nanargmax(np.abs(mark.values)), mark.values.shape)
        return f"{mark.label}{_range(mark.values)}, the largest at {mark.x[j]:.4g}, {mark.y[i]:.4g}"
    assert isinstance(mark, Pairs)
    return f"{mark.values.shape[1]} runs in {', '.join(panel.names)}, each against each"


def _range(values: np.ndarray) -> str:
    finite = values[np.isfinite(values)]
    return f" from {finite.min():.4g} to {finite.max():.4g}" if len(finite) else ""
