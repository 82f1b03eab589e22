"""Sensitivities: shares over time, bars, Morris' plot, second-order indices."""

import numpy as np

from uqmbd.figures.labels import places, shortened
from uqmbd.figures.marks import COLORS, UNSEEN, Band, Cells, Curve, Figure, Panel, Points, Rows, Stack
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import axis_label, in_unit, point_of

FAMILIES = (
    ("first", "total"), ("shapley",), ("first_full", "total_independent"), ("main_effect",), ("width_reduction",), ("derivative",),
    ("delta",), ("pawn",), ("dgsm",), ("unsafe_distance",), ("importance",),
)  # fmt: skip
WORDS = {
    "first": "first order", "total": "total order", "main_effect": "main effect", "width_reduction": "width lost when the input is halved",
    "derivative": "derivative, normalised", "delta": "delta", "pawn": "PAWN", "dgsm": "DGSM",
    "importance": "importance factor (alpha squared)", "shapley": "Shapley effect", "first_full": "with what it says of others",
    "total_independent": "what the others do not say", "unsafe_distance": "distance of unsafe runs from all (Kolmogorov, Smirnov)",
    "mu": "μ", "mu_star": "μ*", "sigma": "σ",
}  # fmt: skip
MORRIS = ("mu_star", "sigma")
ROWS_SHOWN = 25  # inputs in a bar chart
CELLS_SHOWN = 12  # inputs in a matrix
INPUT_COLORS = (3, 4, 5, 6, 0, 1, 2, 7)  # numbers in the cycle: the first four are no colours of bounds, runs or errors
APART = 4  # of them that are
BANDS_SHOWN = 3  # inputs whose confidence limits are drawn over time
TIMES_SHOWN = 240  # of sensitivities, or many inputs of many histories would make a page that opens slowly
PAIRS_SHOWN = 6  # pairs drawn over time
PAIR_LETTERS = 18  # of the name of each input of a pair


def main_effects(result: ResultData, name: str) -> list[Curve]:
    """The main effects of a history over time, one curve for each of the leading inputs, in colours that bounds do not have."""
    table = result.sensitivity[name] if name in result.sensitivity else None
    axis = result.axis_of(name, "sensitivity")
    if table is None or axis is None or "main_effect" not in kinds(table):
        return []
    values = _of(table, "main_effect")
    return [
        Curve(table[axis].values, values[k], f"{_inputs(table)[k]} (main effect)", INPUT_COLORS[rank % APART] + COLORS * (rank // APART))
        for rank, k in enumerate(leading(np.abs(values), COLORS))
    ]


def sensitivity_figures(result: ResultData, names: list[str]) -> list[Figure]:
    """Every figure of the sensitivities of these outputs: over time, aggregated, of scalars, and of pairs."""
    figures = []
    for name in names:
        axis = result.axis_of(name)
        every = f"sensitivities over all {'times' if axis == 'time' else f'values of {axis}'}"
        for key, title in (("sensitivity", "sensitivities"), ("aggregated", every)):
            if name not in result[key]:
                continue
            table = result[key][name]
            if over := result.axis_of(name, key):
                figures += _over_axis(table, over, name, title, in_unit(result, name))
            else:
                figures += _bars(table, name, key, title)
                figures += _morris(result, table, name, key)
        if name in result.interaction:
            figures += _pairs(result.interaction[name], result.axis_of(name, "interaction"), name)
    return figures


def kinds(table) -> list[str]:
    """Kinds of sensitivity that hold numbers, without their confidence limits."""
    names = [str(kind) for kind in table["kind"].values]
    own = [kind for kind in names if not (kind.endswith(("_lower", "_upper")) and kind.rpartition("_")[0] in names)]
    return [kind for kind in own if np.isfinite(_of(table, kind)).any()]


def leading(values: np.ndarray, count: int) -> np.ndarray:
    """Indices of the `count` rows of values (inputs, ...) that are greatest on average, greatest first; all rows in their own order."""
    size = np.nan_to_num(values).reshape(len(values), -1).mean(axis=1)
    return np.arange(len(values)) if len(values) <= count else np.argsort(-size, kind="stable")[:count]


def _of(table, kind: str) -> np.ndarray:
    """One kind as an array (inputs[, time])."""
    return np.asarray(table.sel(kind=kind).transpose("input", ...).values, float)


def _limits(table, kind: str) -> tuple[np.ndarray, np.ndarray] | None:
    known = [str(name) for name in table["kind"].values]
    ends = [f"{kind}_{side}" for side in ("lower", "upper")]
    return (_of(table, ends[0]), _of(table, ends[1])) if set(ends) <= set(known) else None


def _inputs(table) -> list[str]:
    return [str(name) for name in table["input"].values]


def _thinned(table, axis: str | None):
    """Every so many of the times, or points of another axis, and how many; scalars as they are."""
    step = -(-table.sizes.get(axis, 1) // TIMES_SHOWN)
    return (table.isel({axis: slice(None, None, step)}), step) if step > 1 else (table, 1)


def _over_axis(table, axis: str, name: str, title: str, unit: str) -> list[Figure]:
    shown = [kind for kind in kinds(table) if kind not in ("main_effect", "mu")]
    if not shown:
        return []
    table, step = _thinned(table, axis)
    time, along, inputs = table[axis].values, axis_label(table, axis), _inputs(table)
    order = leading(np.abs(_of(table, "total" if "total" in shown else shown[0])), COLORS if len(inputs) <= COLORS else COLORS - 1)
    panels, caption = [], []
    for kind in shown:
        values = _of(table, kind)
        if kind == "first":
            panels.append(Panel(along, WORDS[kind], (_stack(time, values, inputs, order),), height=2.0))
            caption.append("First order: what each input causes alone, as a share of the variance; the rest is caused by inputs together.")
            if np.nanmin(values) < 0:
                caption.append("Estimates below zero are drawn as zero.")
            continue
        marks: list[Curve | Band] = []
        if len(inputs) <= BANDS_SHOWN and (limits := _limits(table, kind)):
            marks = [Band(time, limits[0][k], limits[1][k], f"{inputs[k]}, confidence limits", c) for c, k in zip(INPUT_COLORS, order)]
        marks += [Curve(time, values[k], inputs[k], c) for c, k in zip(INPUT_COLORS, order)]
        what = "width lost" if kind == "width_reduction" else WORDS.get(kind, kind)
        panels.append(Panel(along, what + (unit if kind in MORRIS else ""), tuple(marks), height=2.0))
        if kind == "width_reduction":
            caption.append("Width lost: how much narrower the bounds become when the interval of one input is halved.")
    if len(inputs) > len(order):
        caption.append(f"Shown are the {len(order)} leading ones of {len(inputs)} inputs.")
    if step > 1:
        caption.append(f"One of {step} {point_of(axis)}s is drawn.")
    return [Figure(f"{name}.sensitivity", f"{name}: {title}", tuple(panels), tuple(caption))]


def _stack(time: np.ndarray, values: np.ndarray, inputs: list[str], order: np.ndarray) -> Stack:
    """First-order indices of the inputs in `order` on top of each other, then the other inputs, then what is left to one."""
    shares = np.maximum(values, 0)
    labels = [inputs[k] for k in order]
    areas = shares[order]
    if len(order) < len(inputs):
        others = np.setdiff1d(np.arange(len(inputs)), order)
        areas = np.vstack([shares[order], shares[others].sum(axis=0)])
        labels.append(f"{len(others)} other inputs")
    together = np.maximum(1 - areas.sum(axis=0), 0)
    colors = (*INPUT_COLORS, 0)[: len(labels) + 1]
    return Stack(time, np.vstack([areas, together]), (*labels, "inputs together"), rest=len(labels), colors=colors)


def _bars(table, name: str, key: str, title: str) -> list[Figure]:
    present, inputs, figures = kinds(table), _inputs(table), []
    known = {kind for family in FAMILIES for kind in family}
    alone = [(kind,) for kind in present if kind not in known and kind not in ("mu", *MORRIS)]
    for family in (*FAMILIES, *alone):
        shown = [kind for kind in family if kind in present]
        if not shown:
            continue
        size = np.nan_to_num(np.abs(_of(table, shown[-1])))
        order = np.argsort(-size, kind="stable")[:ROWS_SHOWN]
        rows = []
        for color, kind in enumerate(shown):
            limits = _limits(table, kind)
            ends = {} if limits is None else {"lower": limits[0][order], "upper": limits[1][order]}
            rows.append(Rows(_of(table, kind)[order], WORDS.get(kind, kind), color, **ends))
        caption = [f"Shown are the {len(order)} leading ones of {len(inputs)} inputs."] if len(order) < len(inputs) else []
        if any(row.lower is not None for row in rows):
            caption.append("Whiskers: confidence limits.")
        what = "sensitivity" if len(shown) > 1 else WORDS.get(shown[0], shown[0])
        panel = Panel(what, "", tuple(rows), names=tuple(inputs[k] for k in order))
        heading = f"{name}: {title}" + (f" ({what})" if len(shown) == 1 else "")
        figures.append(Figure(f"{name}.{key}.{shown[0]}", heading, (panel,), tuple(caption)))
    return figures


def _morris(result: ResultData, table, name: str, key: str) -> list[Figure]:
    """Mean size of an input's effect against its spread: far right matters, far up depends on where or on the other inputs."""
    if not set(MORRIS) <= set(kinds(table)):
        return []
    x, y = (_of(table, kind) for kind in MORRIS)
    y = np.where(np.abs(y) > UNSEEN * np.nanmax(x), y, 0.0)  # an axis would show nothing but rounding
    inputs, marks = _inputs(table), []
    if limits := _limits(table, "mu_star"):
        gap = np.full(len(x), np.nan)
        ends, heights = np.column_stack([*limits, gap]).ravel(), np.column_stack([y, y, gap]).ravel()
        marks.append(Curve(ends, heights, "confidence limits", "whisker"))
    end = float(min(np.nanmax(x), np.nanmax(y)))
    marks.append(Curve(np.array([0.0, end]), np.array([0.0, end]), "σ = μ*", "limit"))
    marks.append(Points(x, y, tuple(inputs), places(x, y, list(shortened(inputs).values())), "inputs"))
    panel = Panel("μ*" + in_unit(result, name), "σ" + in_unit(result, name), tuple(marks))
    caption = ["μ*: mean size of the effect of an input over its whole range. σ: how much it depends on where, and on the other inputs."]
    if not all(marks[-1].sides):
        caption.append("Inputs without a name here lie too close together; the pointer shows it.")
    return [Figure(f"{name}.{key}.morris", f"{name}: Morris' screening", (panel,), tuple(caption))]


def _pairs(table, axis: str | None, name: str) -> list[Figure]:
    """Second-order indices: the leading pairs over time, a matrix of many pairs, or bars of few."""
    table, step = _thinned(table, axis)
    pairs = [str(pair) for pair in table["pair"].values]
    values = np.asarray(table.transpose("pair", ...).values, float)
    title, key = f"{name}: second-order indices", f"{name}.interaction"
    inputs = list(dict.fromkeys(part for pair in pairs for part in pair.split("*", 1)))
    brief = shortened(inputs, PAIR_LETTERS)
    words = [" × ".join(brief[part] for part in pair.split("*", 1)) for pair in pairs]
    if axis is not None:
        order = leading(np.abs(values), PAIRS_SHOWN)
        curves = [Curve(table[axis].values, values[k], words[k], c) for c, k in enumerate(order)]
        caption = [f"The {len(order)} leading ones of {len(pairs)} pairs."] if len(order) < len(pairs) else []
        caption += [f"One of {step} {point_of(axis)}s is drawn."] if step > 1 else []
        return [Figure(key, title, (Panel(axis_label(table, axis), "second order", tuple(curves)),), tuple(caption))]
    if len(inputs) < 3:
        return [Figure(key, title, (Panel("second order", "", (Rows(values, "second order", 0),), names=tuple(words)),))]
    matrix = np.full((len(inputs), len(inputs)), np.nan)
    for pair, value in zip(pairs, values, strict=True):
        i, j = sorted(inputs.index(part) for part in pair.split("*", 1))
        matrix[j, i] = value
    caption = ()
    if len(inputs) > CELLS_SHOWN:
        full = np.nan_to_num(matrix)
        order = np.sort(leading(np.abs(full + full.T), CELLS_SHOWN))
        caption = (f"Shown are the {len(order)} inputs with the largest indices of {len(inputs)}.",)
        inputs, matrix = [inputs[k] for k in order], matrix[np.ix_(order, order)]
    return [Figure(key, title, (Panel("", "", (Cells(matrix, "second order"),), names=tuple(inputs)),), caption)]
