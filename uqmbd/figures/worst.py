"""The runs that reached the bounds of a history, beside the nominal one, and at which inputs its bounds were reached over time."""

from collections.abc import Iterator

import numpy as np

from uqmbd.figures.extremes import extreme_of
from uqmbd.figures.histories import OUTER, centre_of, less
from uqmbd.figures.marks import Band, Curve, Figure, Panel, Points
from uqmbd.method_facts import Cases
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import axis_label, axis_unit, in_unit, label_of, point_of, pretty, widest
from uqmbd.tables.scaling import input_unit, scale_of, with_unit
from uqmbd.tables.trust import trust_of

ENDS = (("lower", "lowest", 2), ("upper", "highest", 1))  # bound, word, colour
SIDES = {"lowest": "bottom", "highest": "top"}  # where the words stand
MARK = 6  # colour of the places


def worst_figures(result: ResultData, names: list[str]) -> Iterator[Figure]:
    """One figure for each history: the runs that reached its bounds, and below a panel for each input over time.

    Where two bounds jump from run to run another corner causes them.
    """
    return (worst_figure(result, name) for name in names if name in result.worst)


def worst_figure(result: ResultData, name: str) -> Figure:
    """The figure of one history; a result of an earlier version has the inputs only."""
    runs, caption = extremes_panel(result, name) if name in result.extreme_runs else (None, [])
    places = widest(result.worst[name])
    axis = result.axis_of(name)
    time, panels = places[axis].values, [] if runs is None else [runs]
    for key in map(str, places["input"].values):
        unit = input_unit(result, key)
        values = {end: np.asarray(unit.of(places.sel(bound=end, input=key).values)) for end, _, _ in ENDS}
        curves = tuple(Curve(time, values[end], f"input at {end} bound", color) for end, _, color in ENDS)
        panels.append(Panel(axis_label(places, axis), with_unit(key, unit), curves, height=1.4))
    caption.append(f"{'Below: the' if caption else 'The'} inputs of the run that reached each bound, at every {point_of(axis)}.")
    return Figure(f"{name}.worst", f"{name}: where its bounds were reached", tuple(panels), tuple(caption))


def extremes_panel(result: ResultData, name: str) -> tuple[Panel, list[str]]:
    """The band of bounds with the nominal run and the two that reach furthest, and what they are in words."""
    table, axis = result.extreme_runs[name], result.axis_of(name)
    time, said, within = table[axis].values, Cases.of(table.attrs), scale_of(result, name)
    marks, caption, places, ends = _band(result, name), [], {}, []
    nominal = table.sel(case="nominal").values
    if np.isfinite(nominal).all():
        marks.append(Curve(time, nominal, "nominal run", "mean"))
        caption.append(f"The nominal run, in the middle of the inputs: {inputs_said(result, said.inputs['nominal'])}.")
    elif "nominal" in said.inputs:
        caption.append("The nominal run, in the middle of the inputs, fails and is not drawn.")
    for end, word, color in ENDS:
        values, extreme = table.sel(case=end).values, extreme_of(result, name, end)
        if extreme is None or extreme.at is None:
            continue
        if not np.isfinite(values).all():
            caption.append(f"The run of the {word} value failed when it was made again, and is not drawn.")
            continue
        places[word] = time[extreme.at], values[extreme.at]
        marks.append(Curve(time, values, f"run of the {word} value", color))
        value, inputs = within.said(f"{within.of(values[extreme.at]):.4g}"), {**extreme.inputs, **said.control.get(end, {})}
        where, when = " where runs differ" if extreme.beyond else "", f"{extreme.time:.4g}{axis_unit(table, axis)}"
        caption.append(f"The {word} value of a run{where}, {value} at {when}: {inputs_said(result, inputs)}.")
    label, centre = label_of(result, name), centre_of(marks)
    if centre is not None:
        marks, label = [less(mark, *centre) for mark in marks], "from the middle" + in_unit(result, name)
        places = {word: (x, y - np.interp(x, *centre)) for word, (x, y) in places.items()}
        caption.append("First panel: measured from the middle of the band, which is narrow.")
    if places:
        x, y = np.array(list(places.values())).T
        ends.append(Points(x, y, tuple(places), tuple(SIDES[word] for word in places), "where they reach it", MARK, on_curves=True))
    trust = trust_of(result, name)
    return Panel(axis_label(table, axis), label, (*marks, *ends), trust.spans if trust else (), height=3.0), caption


def _band(result: ResultData, name: str) -> list[Band | Curve]:
    """The outer bounds; of membership levels those of the lowest."""
    if name not in result.bounds:
        return []
    bounds = widest(result.bounds[name])
    lower, upper = (bounds.sel(bound=end).values for end in ("lower", "upper"))
    return [Band(bounds[result.axis_of(name)].values, lower, upper, OUTER, "outer")]


def inputs_said(result: ResultData, inputs: dict[str, float], digits: int = 4) -> str:
    """Inputs of a run in words, in the units of the study: ``clearance = 0.05 mm, friction = 0.03``."""
    every = ((key, input_unit(result, key), value) for key, value in inputs.items())
    return ", ".join(f"{key} = {unit.said(value, digits)} {pretty(unit.unit)}".rstrip() for key, unit, value in every)
