"""The mechanism moving, as a part of the page: the nominal run, those that reached bounds, and what all runs cover."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from uqmbd.figures.worst import inputs_said
from uqmbd.report.pages import asset, packed
from uqmbd.result_data import ResultData
from uqmbd.simulators.model import describe
from uqmbd.simulators.moving import drawn
from uqmbd.tables.outputs import axis_unit, output_names, picked, pretty, widest
from uqmbd.tables.scaling import input_unit, scale_of

TOLD = 3  # bounds of a run that a sentence names
INPUTS = 16_000  # numbers of runs that reached bounds of histories: some 20 kB of the page
OTHER = "another version has kept it; remove report.html and run the study again, which makes it anew"
SAME = 0.02  # of what runs reached: by how much a run that is run again may differ, unsaid


@dataclass(frozen=True)
class Motion:
    """A part of the page whose `page.js` comes with it: once, and as wide as it is given room."""

    html: Markup  # with its style and scripts; without a scene a sentence that says why
    scene: bool


def motion_block(result: ResultData, names: Mapping[str, str] | None = None) -> Motion | None:
    """What the page shows of `result.motion`; None where there is none: of models that do not move, and of earlier results.

    `names` are ids in the page by keys of figures: a click on a bound there is answered by the scene.
    """
    if not result.motion:
        return None
    try:
        if "scene" not in result.motion:
            return _without(str(result.motion["why"]))
        return Motion(_scene(result, names or {}), True) if drawn(result.motion["scene"]) else _without(OTHER)
    except Exception as error:  # a file that somebody has written by hand, or another version
        return _without(f"motion.json cannot be read ({describe(error)})")


def _without(why: str) -> Motion:
    return Motion(Markup('<p class="note">The mechanism is not shown moving: {}.</p>').format(why.rstrip(".")), False)


def _scene(result: ResultData, names: Mapping[str, str]) -> Markup:
    from uqmbd.simulators.moving import parts

    library, script, html_of, data_of, style = parts()
    cases = result.motion["cases"]
    first = [next((end["time"] for end in case["ends"]), None) for case in cases]  # when their first bound was reached, if that is known
    shown = [
        {"label": label_of(result, case), "says": sentence_of(result, case), "time": at} for case, at in zip(cases, first, strict=True)
    ]
    scene = result.motion["scene"] | {"cases": shown}
    histories, scalars = output_names(result)
    ends = [[end["output"], end["bound"], number] for number, case in enumerate(cases) for end in case["ends"]]
    kinds = ("{}", "{}.answer", "{}.worst")
    drawn = ((name, key) for name in (*histories, *scalars) for key in (kind.format(name) for kind in kinds) if key in names)
    figures = {names[key]: [name, name in histories] for name, key in drawn}
    near = result.motion["near"]
    more = {"near": near, "ends": ends, "figures": figures, "reached": reached(result, near), "inputs": inputs_of(result)}
    held = packed(json.dumps({"library": library, "script": script, "scene": data_of(scene), **more}, separators=(",", ":")))
    body = html_of(scene, shown[scene["still_of"]]["says"])
    return Markup('<style>{}</style>\n{}\n<script type="text/plain" id="motion-packed">{}</script>\n<script>{}</script>').format(
        Markup(style), Markup(body), escape(held), Markup(asset("motion.js"))
    )


def inputs_of(result: ResultData) -> list[list[str]]:
    """Names and units of the inputs of `reached`."""
    names = [str(name) for name in result.worst["input"].values] if "input" in result.worst else []
    return [[name, pretty(input_unit(result, name).unit)] for name in names]


def reached(result: ResultData, near: Mapping[str, Any]) -> dict[str, dict[str, list[list[float | None]]]]:
    """Inputs, in the units of the study, of the runs that reached bounds of histories at the times of `near`; none where they are many."""
    units = [input_unit(result, name) for name, _ in inputs_of(result)]
    known = {name: one["times"] for name, one in near.items() if name in result.worst}
    if 2 * len(units) * sum(map(len, known.values())) > INPUTS:
        return {}
    inputs = {}
    for name, times in known.items():
        places = widest(result.worst[name]).sel(time=times, method="nearest").transpose("bound", "time", "input")
        ends = {bound: places.sel(bound=bound).values for bound in ("lower", "upper")}
        inputs[name] = {bound: [[_short(u.of(x)) for u, x in zip(units, row, strict=True)] for row in rows] for bound, rows in ends.items()}
    return inputs


def _short(x: float) -> float | None:
    return float(f"{float(x):.4g}") if np.isfinite(x) else None


def label_of(result: ResultData, case: Mapping[str, Any]) -> str:
    """What a run is called in the choice of runs."""
    if case["nominal"]:
        return str(case["label"])
    end = case["ends"][0]
    return f"{case['label']}, {_value(result, end)}"


def sentence_of(result: ResultData, case: Mapping[str, Any]) -> str:
    """A sentence on a run: its inputs, and which bounds it reached."""
    inputs = inputs_said(result, {**case["inputs"], **case.get("control", {})})
    ends = [_end(result, end) for end in case["ends"][:TOLD]]
    more = len(case["ends"]) - len(ends)
    reached = f" reached the {'; the '.join(ends)}{f'; and {more} more' if more else ''}"
    if case["nominal"]:
        return f"The nominal run, in the middle of the inputs: {inputs}.{f' It{reached}.' if ends else ''}"
    return f"The run with {inputs}{reached}."


def _end(result: ResultData, end: Mapping[str, Any]) -> str:
    when = "" if end["time"] is None else f" at {end['time']:.4g}{axis_unit(result.inner[end['output']], result.axis_of(end['output']))}"
    return f"{'highest' if end['bound'] == 'upper' else 'lowest'} {end['output']}, {_value(result, end)}{when}{_again(result, end)}"


def _again(result: ResultData, end: Mapping[str, Any]) -> str:
    """What a run has reached when it was run again, where that is something else: of chaotic mechanisms."""
    now, name = end.get("again"), end["output"]
    if now is None or name not in result.inner:
        return ""
    inner = picked(result.inner, name)
    if abs(now - end["value"]) <= SAME * float(np.nanmax(inner) - np.nanmin(inner)) + 1e-9 * abs(end["value"]):
        return ""
    return f" ({_value(result, {'output': name, 'value': now})} when run again)"


def _value(result: ResultData, end: Mapping[str, Any]) -> str:
    within = scale_of(result, end["output"])
    return within.said(f"{within.of(end['value']):.4g}")
