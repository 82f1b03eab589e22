"""The slider-crank of `slider_crank_clearance` at 1000 rpm, dry, wearing its joint for hours (docs/theory/wear.md)."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np

import flexmbd as fm
from uqmbd.simulators.model import load_file

DRY = load_file(Path(__file__).parents[1] / "slider_crank_clearance" / "model.py")
TURN = 60.0 / 1000.0  # s
LENGTH = 20e-3  # of the bearing, m
HARDNESS = 2e9  # of the bearing, Pa


def crank(worn, clearance):
    """The joint in service with a worn bearing."""
    s = DRY.slider_crank(clearance, 0.5, 0.05, 2.0 * math.pi / TURN, calibrated=True, slowest_impact=1.0)
    place = next(k for k, element in enumerate(s.elements) if element.name == "B")
    s.elements[place] = replace(s.elements[place], worn=worn)
    return s


def wearing(coefficient, clearance, time):
    """Wear of the bearing over the operating time, in updates from point to point of `time`.

    Parameters
    ----------
    coefficient : float
        k of Archard's law.
    clearance : float
        Radial, before any wear, m.
    time : ndarray
        Hours of operation in s, evenly spaced from 0.

    Returns
    -------
    dict
        Over the time: largest depth (um), volume (mm^3), largest and root mean square force (N), largest eccentricity (um).
    """
    force, eccentricity = "B.force", "B.eccentricity"
    found = fm.wear_cycles(
        crank,
        {"clearance": [clearance]},
        joint="B",
        cycles=time[-1] / TURN,
        updates=len(time) - 1,
        start=TURN,  # the first turn lets the start die away
        end=2.0 * TURN,
        points=1201,
        coefficient=coefficient,
        hardness=HARDNESS,
        length=LENGTH,
        outputs=[force, eccentricity],
        settings={"tolerance": 1e-8, "lanes": 1},
    )
    turn = found.time >= TURN
    force, eccentricity = (found.outputs[name][:, 0, turn] for name in (force, eccentricity))
    return {
        "depth_um": 1e6 * found.depth[:, 0],
        "volume_mm3": 1e9 * found.volume[:, 0],
        "force": force.max(axis=-1),
        "force_rms": np.sqrt((force**2).mean(axis=-1)),
        "eccentricity_um": 1e6 * eccentricity.max(axis=-1),
    }
