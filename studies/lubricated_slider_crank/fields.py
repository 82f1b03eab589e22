"""What the report shows of one run: the pressure in the bearing."""

from pathlib import Path

import xarray as xr

from flexmbd.lubrication.fields import film_fields
from flexmbd.lubrication.reynolds import ReynoldsBearing
from uqmbd.simulators.model import load_file

MODEL = load_file(Path(__file__).with_name("model.py"))


def pressure_map(run):
    """Pressure in the middle of the bearing over angle and time, and where it is greatest, of the run in the middle of all inputs."""
    out = run.outputs
    velocity = out["rod.B.vx"] - out["slider.vx"], out["rod.B.vy"] - out["slider.vy"]
    bearing = ReynoldsBearing(clearance=run.inputs["clearance"], **{**MODEL.FILM, "cells": (96, 8)})
    orbit = out["B.ex"], out["B.ey"]
    film = film_fields(
        bearing, run.time, orbit, velocity, viscosity=run.inputs["viscosity"], spins=(out["rod.rate"], 0.0), largest=0.99, warn=False
    )
    return xr.Dataset(
        {
            "B.pressure": (("angle", "time"), film.pressure[:, :, 0].T, {"unit": "Pa", "title": "Pressure in the middle of bearing B"}),
            "B.max_pressure": ("time", film.max_pressure, {"unit": "Pa", "title": "Greatest pressure in bearing B"}),
        },
        coords={"angle": ("angle", film.theta[0], {"unit": "rad"}), "time": ("time", film.time, {"unit": "s"})},
    )
