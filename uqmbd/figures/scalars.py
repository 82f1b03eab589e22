"""Scalars: histogram of the runs, distribution function and density, membership."""

import numpy as np

from uqmbd.figures import samples
from uqmbd.figures.histories import IMPRECISE, INNER, OUTER, each_level, spread
from uqmbd.figures.marks import Band, Bars, Curve, Figure, Level, Panel, of_level
from uqmbd.method_facts import Limit
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import label_of, outer_quantiles, statistics_in, unit_of, widest
from uqmbd.tables.trust import marked, trust_of

P_BOX = "Probability that the output is at most the value: it lies anywhere in the band (a probability box)."
SAME = 1e-12  # probabilities closer than this are one
CLASSES = 32  # of the density


def scalar_figures(result: ResultData, name: str) -> list[Figure]:
    """Every figure of one scalar."""
    figures = [*membership_figures(result, name), *distribution_figures(result, name)]
    plain = scalar_figure(result, name)
    wanted = plain.panels[0].marks if not figures else any(isinstance(mark, Bars) for mark in plain.panels[0].marks)
    return [plain, *figures] if wanted else figures


def scalar_figure(result: ResultData, name: str) -> Figure:
    """Distribution of one scalar over the runs, with its bounds."""
    marks = [*_bars(result, name), *_levels(result, name)]
    trust = trust_of(result, name)
    caption = [trust.sentence()] if trust else []
    if any(isinstance(mark, Bars) for mark in marks) and not samples.are_a_sample(result):
        caption.append("The method chose where to run, so the bars show what the runs covered, not a probability.")
    if any(isinstance(mark, Bars) for mark in marks):
        caption += samples.of_model(result)
    imprecise = name in result.statistics and "bound" in result.statistics[name].dims
    if imprecise:
        caption.append(IMPRECISE)
    elif name in result.statistics and name in result.bounds:
        caption.append(spread(result))
    return Figure(name, marked(result, name, name), (Panel(label_of(result, name), "runs", tuple(marks)),), tuple(caption))


def membership_figures(result: ResultData, name: str) -> list[Figure]:
    """The membership function of a fuzzy scalar, or of its statistics: bounds at each level, as one outline."""
    sides = ((result.bounds, "membership", 0), (result.inner, INNER, "inner"))
    marks = [_outline(group[name], label, style) for group, label, style in sides if name in group and "alpha" in group[name].dims]
    if name in result.statistics and "alpha" in result.statistics[name].dims:
        table = result.statistics[name]
        known = table["statistic"].values
        shown = [*([("mean", "mean")] if "mean" in known else []), *outer_quantiles(known).items()]  # of which a membership is drawn
        marks += [_outline(table.sel(statistic=key), word, number) for number, (key, word) in enumerate(shown)]
    if not marks:
        return []
    panel = Panel(label_of(result, name), "membership α", tuple(marks))
    caption = "Membership 1: the most plausible values. Membership 0: all that is thought possible."
    return [Figure(f"{name}.membership", marked(result, name, f"{name}: membership"), (panel,), (caption,))]


def _outline(table, label: str, style: int | str) -> Curve:
    """Lower bounds up to the highest level, and upper bounds down again."""
    table = table.sortby("alpha")
    alpha = table["alpha"].values
    lower, upper = (table.sel(bound=side).values for side in ("lower", "upper"))
    return Curve(np.hstack([lower, upper[::-1]]), np.hstack([alpha, alpha[::-1]]), label, style)


def distribution_figures(result: ResultData, name: str) -> list[Figure]:
    """Distribution function of a scalar, with its density if the probability is precise, or else its probability box."""
    if name not in result.cdf:
        return []
    table = result.cdf[name]
    if "alpha" in table.dims:
        return _boxes_of_levels(result, name)
    value, lower, upper = _ascending(table)
    if not len(value):
        return []
    label, title = label_of(result, name), marked(result, name, f"{name}: distribution")
    if np.abs(upper - lower).max() > SAME:
        band = Band(value, lower, upper, "between least and greatest probability", "box")
        return [Figure(f"{name}.cdf", title, (Panel(label, "probability", (band,)),), (P_BOX,))]
    panels = [Panel(label, "probability", (Curve(value, lower, "distribution function", 0),), height=2.0)]
    if (density := _density(value, lower)) is not None:
        unit = unit_of(result, name)
        unit = f" [1/{f'({unit})' if set(unit) & set('·/') else unit}]" if unit else ""
        panels.insert(0, Panel(label, "density" + unit, (density,), height=2.0))
    caption = ("Below: probability that the output is at most the value. Above: its slope, the density.",) if density else ()
    return [Figure(f"{name}.cdf", title, tuple(panels), caption)]


def _boxes_of_levels(result: ResultData, name: str) -> list[Figure]:
    """The probability box of each membership level that is drawn, the widest first."""
    every = [(alpha, *_ascending(at)) for alpha, at in each_level(result.cdf[name])]
    bands = [of_level(value, lower, upper, alpha) for alpha, value, lower, upper in every if len(value)]
    panel = Panel(label_of(result, name), "probability", tuple(bands))
    caption = (P_BOX, "The stronger the colour, the higher the membership α: the box of each level lies in those of all lower ones.")
    return [Figure(f"{name}.cdf", marked(result, name, f"{name}: distribution"), (panel,), caption)] if bands else []


def _ascending(table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values in ascending order, and the least and greatest probability at each; those that are not finite are left out."""
    every = np.array([np.asarray(table.sel(column=column).values, float) for column in ("value", "lower", "upper")])
    every = every[:, np.isfinite(every).all(axis=0)]
    value, lower, upper = every[:, np.argsort(every[0], kind="stable")]
    return value, lower, upper


def _density(value: np.ndarray, probability: np.ndarray) -> Bars | None:
    """Slopes of a distribution function over classes of equal width; None where all probability lies at one value."""
    if np.ptp(value) <= SAME * np.abs(value).max():
        return None
    edges = np.linspace(value[0], value[-1], min(CLASSES, len(value)) + 1)
    return Bars(edges, np.diff(np.interp(edges, value, probability)) / np.diff(edges), "density")


def _bars(result: ResultData, name: str) -> list[Bars]:
    """Histogram of the runs that were ok, if they are stored."""
    if name not in result.runs:
        return []
    values = result.runs[name].values[samples.good(result)].astype(float)
    values = values[np.isfinite(values)]
    if not len(values):
        return []
    spread = np.ptp(values) > 1e-12 * np.abs(values).max()
    counts, edges = np.histogram(values, bins=int(np.clip(np.sqrt(len(values)), 10, 60)) if spread else 1)
    return [Bars(edges, counts, "runs")]


def _levels(result: ResultData, name: str) -> list[Level]:
    """Bounds, mean and quantiles of a scalar as vertical lines; of imprecise statistics both their bounds."""
    marks = []
    for group, style, label in ((result.bounds, "outer", marked(result, name, OUTER)), (result.inner, "inner", INNER)):
        if name in group:
            marks += [Level(float(value), label, style) for value in widest(group[name]).values]
    known = statistics_in(result, name)
    outer = outer_quantiles(known)
    quantiles = " and ".join(word.removesuffix(" quantile") for word in outer.values()) + " quantile"
    for key, style, label in (("mean", "mean", "mean"), *((key, "range", quantiles) for key in outer)):
        if key in known:
            ends = np.atleast_1d(widest(result.statistics[name]).sel(statistic=key).values)
            bounds = ", bounds" if len(ends) > 1 else ""
            marks += [Level(float(value), label + bounds, style) for value in ends if np.isfinite(value)]
    for key, style in (("measured", "error"), ("fitted", "mean")):
        if key in known and np.isfinite(value := float(result.statistics[name].sel(statistic=key))):
            marks.append(Level(value, key, style))
    wanted = result.facts_of(Limit)
    if wanted.output == name and wanted.limit is not None:
        marks.append(Level(float(wanted.limit), "limit", "error"))
    return marks
