"""Runs of a model of flexmbd as a scene that moves in a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from uqmbd.simulators.base import Moved
from uqmbd.simulators.chosen import alike, of_rows
from uqmbd.simulators.faults import Lanes, as_study_error
from uqmbd.simulators.sections import plain_names

LEAST, MOST = 401, 2001  # times of a motion that is shown
OUTPUTS = 60


def moved(
    simulator: Lanes,
    samples: Mapping[str, np.ndarray],
    labels: Sequence[str],
    still: tuple[int, float],
    patience: float | None = None,
) -> Moved:
    """Run samples again and keep where bodies are; see `uqmbd.simulators.base.Moving`.

    Where inputs choose or count, of the runs with the values of the nominal one: a scene has one mechanism.
    """
    import flexmbd
    from flexmbd.viewer.cases import cases_of

    same: list[int] = alike(samples, simulator.model.values)[0].tolist()
    labels, still = [labels[row] for row in same if row < len(labels)], (same.index(still[0]) if still[0] in same else 0, still[1])
    names = tuple(plain_names(simulator.names, simulator.model.sections)[:OUTPUTS])  # of very many the first: all would be gigabytes
    time = times_of(simulator.time)
    with as_study_error(simulator):
        arguments = replace(simulator, time=time, names=names).arguments()
        found = flexmbd.run(simulator.model.load(), of_rows(samples, np.array(same)), **arguments, patience=patience, poses=True)
        cases = cases_of(found, list(labels))
        rows = cases.data["rows"]
        number = rows.index(still[0]) if still[0] in rows else 0
        scene = cases.data | {"still": cases.still(number, still[1]), "still_of": number, "rows": [same[row] for row in rows]}
    return Moved(scene, time, {name: found.outputs[name][rows] for name in names})


def shown(simulator: Lanes, samples: Mapping[str, np.ndarray], path: Path, title: str) -> Path:
    """A page of its own on which a run moves, the first of the samples, the others as ghosts; see `uqmbd.simulators.base.Moving`."""
    import flexmbd

    with as_study_error(simulator):
        arguments = replace(simulator, time=times_of(simulator.time)).arguments()
        same = of_rows(samples, alike(samples, simulator.model.values)[0])
        found = flexmbd.run(simulator.model.load(), same, **arguments, poses=True)
        good = [row for row, code in enumerate(found.status) if code == 0]
        return flexmbd.show(found, path, samples=good, title=title, browser=False).path or path


def times_of(time: np.ndarray) -> np.ndarray:
    """Times that show a motion, those of a study (points,) if they are neither few nor very many [s]."""
    if len(time) > MOST:
        return time[np.unique(np.linspace(0, len(time) - 1, MOST).round().astype(int))]
    return time if len(time) >= LEAST else np.linspace(0.0, time[-1], LEAST)


def drawn(scene: Mapping[str, Any]) -> bool:
    """Whether this version draws a scene as some version has kept it."""
    from flexmbd.viewer.cases import FORMAT

    return scene.get("format") == FORMAT


def parts() -> tuple[str, str, Callable[..., str], Callable[[dict[str, Any]], str], str]:
    """What a page needs besides: library, script, functions that make its HTML and the script's data of a scene, style."""
    from flexmbd.viewer.block import block_html, block_scene, block_scripts, block_style

    library, script = block_scripts()
    return library, script, block_html, block_scene, block_style()
