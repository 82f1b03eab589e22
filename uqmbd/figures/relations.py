"""How numbers of runs hang together (scatter matrix), and how statistics settle with their number."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from uqmbd.figures import samples
from uqmbd.figures.marks import Band, Bars, Curve, Dots, Figure, Pairs, Panel, Points
from uqmbd.figures.sensitivities import kinds
from uqmbd.method_facts import Beyond, Looked
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import in_unit
from uqmbd.tables.scaling import input_unit, with_unit

VARIABLES = 8  # in the scatter matrix
JUDGED = 100  # outputs whose sensitivities choose the inputs
POINTS = 400  # runs in it
LEAST = 10  # runs below this show no relation
ROUNDING = 1e-9  # relative
STATISTICS = 5  # panels of convergence
WORDS = {"loo": "error left out"}
SAID = {"loo": "Error left out: mean square of the errors at runs left out of the fit in turn, over the variance."}
FEW = 8  # numbers of runs: each is marked
GOAL = "_wanted"  # of a statistic: half the width of its limits that is asked for
SAME_UNIT = r"mean|std|median|min|max|q\d.*"  # statistics with the unit of their output


def scatter_figures(result: ResultData, scalars: list[str]) -> list[Figure]:
    """Inputs and scalar outputs of the good runs, each against each: at most `VARIABLES` of at most `POINTS` runs."""
    good = samples.good(result)
    outputs = [name for name in scalars if name in result.runs and result.runs.variables[name].dims == ("run",)]
    inputs = _ranked_inputs(result)
    if np.count_nonzero(good) < LEAST or not inputs or not outputs:
        return []
    outputs = outputs[: max(VARIABLES // 2, VARIABLES - len(inputs))]
    shown = inputs[: VARIABLES - len(outputs)]
    index = _thinned(np.flatnonzero(good))
    variables = [f"input:{name}" for name in shown] + outputs
    units = [input_unit(result, name) for name in shown]
    values = [unit.of(result.runs[f"input:{name}"].values[index]) for name, unit in zip(shown, units, strict=True)]
    values = np.array(values + [result.runs[name].values[index].astype(float) for name in outputs])
    words = [with_unit(name, unit) for name, unit in zip(shown, units, strict=True)]
    panel = each_against_each(values, "runs", (*words, *outputs), {k: unit.labels for k, unit in enumerate(units) if unit.labels})
    caption = [f"{len(index)} of {np.count_nonzero(good)} runs, inputs in the units they were written in.", *samples.of_model(result)]
    if len(values) > 2:
        caption.append("Drag over points to mark the same runs in all fields.")
    left_out = len(inputs) + len(scalars) - len(variables)
    if left_out:
        caption.append(f"{len(variables)} of {len(variables) + left_out} inputs and scalar outputs.")
    return [Figure("relations", "Inputs and scalar outputs", (panel,), tuple(caption))]


def each_against_each(values: np.ndarray, label: str, names: tuple[str, ...], words: Mapping[int, Sequence[str]] | None = None) -> Panel:
    """Scatter matrix of `values` (variables, rows); of two variables its one field, of a single one a histogram."""
    if len(values) > 2:
        return Panel("", "", (Pairs(values, label, words or {}),), names=names)
    if len(values) == 2:
        names = tuple(named(name, (words or {}).get(k, ())) for k, name in enumerate(names))
        return Panel(names[0], names[1], (Dots(values[0], values[1], label, 0, coarse=True),))
    counts, edges = np.histogram(values[0], bins="auto")
    return Panel(names[0], label, (Bars(edges, counts, label),))


def named(name: str, words: Sequence[str]) -> str:
    """A name with what numbers from 0 mean: ``law (0 hertz, 1 flores)``."""
    return f"{name} ({', '.join(f'{k} {word}' for k, word in enumerate(words))})" if words else name


def convergence_figures(result: ResultData, names: list[str]) -> list[Figure]:
    """Each statistic of each output against the number of runs it stands on."""
    figures = []
    for name in names:
        if name not in result.convergence:
            continue
        table = result.convergence[name].transpose("statistic", "count")
        count = table["count"].values.astype(float)
        known = [str(word) for word in table["statistic"].values if np.isfinite(table.sel(statistic=word).values).any()]
        limits = {f"{word}_{side}" for word in known for side in ("lower", "upper", GOAL[1:])} & set(known)
        panels = []
        for word in [word for word in known if word not in limits][:STATISTICS]:
            values = _settled(table.sel(statistic=word).values)
            marks: list[Curve | Band | Points] = [Curve(count, values, "estimate", 0)]
            if len(count) <= FEW:
                marks.append(Points(count, values, ("",) * len(count), ("",) * len(count), "at these runs", 0, small=True, on_curves=True))
            ends = [f"{word}_{side}" for side in ("lower", "upper")]
            if set(ends) <= limits:
                lower, upper = (_there(table.sel(statistic=end).values) for end in ends)
                marks.insert(0, Band(count, lower, upper, "confidence limits", "confidence"))
            if f"{word}{GOAL}" in limits and np.isfinite(half := table.sel(statistic=f"{word}{GOAL}").values[-1]):
                marks += [Curve(count, np.full(len(count), values[-1] + side * half), "asked for", "limit") for side in (1, -1)]
            unit = in_unit(result, name) if re.fullmatch(SAME_UNIT, word) else ""
            words = _beyond(result, name) if word == "probability" else WORDS.get(word, word.replace("_", " "))
            panels.append(Panel("number of runs", words + unit, tuple(marks), height=1.2))
        if panels:
            axis = result.axis_of(name)
            caption = [f"Of {'a history' if axis == 'time' else 'a curve'}: the largest size over {axis}."] if axis else []
            if any(word.endswith(GOAL) for word in known):
                caption.append("Dotted: within these the confidence limits are to be at the end, about the last estimate.")
            caption += [SAID[word] for word in known if word in SAID] + _looked(result)
            figures.append(Figure(f"{name}.convergence", f"{name}: convergence", tuple(panels), tuple(caption), growing=True))
    return figures


def _beyond(result: ResultData, name: str) -> str:
    """``probability > 18 kN``, with the limit where one is known."""
    known = "beyond" in result.specs and name in result["beyond"]
    return f"probability {Beyond.of(result['beyond'][name].attrs).limit if known else ''}".rstrip()


def _looked(result: ResultData) -> list[str]:
    """A sentence on the confidence of limits that runs are looked at with on the way."""
    looked = result.facts_of(Looked)
    if looked.confidence_at_last_look is None:
        return []
    each = f"All limits here have the confidence of those at the last of {looked.looks} looks, {100 * looked.confidence_at_last_look:.4g} %"
    return [f"{each}: so those at all looks hold together with 95 % (Bonferroni)." if looked.looks > 1 else f"{each}."]


def _there(values: np.ndarray) -> np.ndarray:
    """Numbers that an axis can show: gaps where limits are infinite."""
    return np.where(np.isfinite(values), values, np.nan)


def _settled(values: np.ndarray) -> np.ndarray:
    """Numbers that differ by rounding alone as one number: an axis would show nothing but that."""
    finite = values[np.isfinite(values)]
    return np.where(np.isfinite(values), finite[-1], np.nan) if np.ptp(finite) < ROUNDING * np.abs(finite).max() else values


def _ranked_inputs(result: ResultData) -> list[str]:
    """The inputs of the stored runs; the most influential first when there are more than fit and sensitivities say which."""
    names = samples.varied_inputs(result)
    if len(names) < VARIABLES:
        return names
    weight = dict.fromkeys(names, 0.0)
    for group in (result.sensitivity, result.aggregated):
        for table in (group[name] for name in list(group.data_vars)[:JUDGED]):
            for kind in ("total", "first", "main_effect", "mu_star"):
                if kind in kinds(table):
                    values = np.nan_to_num(np.abs(table.sel(kind=kind).transpose("input", ...).values)).reshape(table.sizes["input"], -1)
                    share = values.mean(axis=1) / (values.mean(axis=1).max() or 1.0)
                    for name, part in zip(table["input"].values, share, strict=True):
                        weight[str(name)] = max(weight.get(str(name), 0.0), float(part))
                    break
    return sorted(names, key=lambda name: -weight[name])


def _thinned(index: np.ndarray) -> np.ndarray:
    """Every so many of the runs, so that none of the designs' stages is left out."""
    return index[np.unique(np.linspace(0, len(index) - 1, min(POINTS, len(index))).astype(int))]
