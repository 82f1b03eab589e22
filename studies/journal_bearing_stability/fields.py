"""What the report shows of one run: the pressure in the bearing."""

from pathlib import Path

import numpy as np
import xarray as xr

import flexmbd as fm
from flexmbd.lubrication.fields import film_fields
from flexmbd.lubrication.formula_bearing import FormulaBearing
from flexmbd.lubrication.viscosity import CELSIUS
from uqmbd.simulators.model import load_file

MODEL = load_file(Path(__file__).with_name("model.py"))


def pressure_map(run):
    """Pressure in the middle of the bearing over the last three turns of the run in the middle of all inputs."""
    out, clearance = run.outputs, run.inputs["clearance"]
    film = fm.ShortFilm(float(MODEL.OIL.viscosity(run.inputs["temperature"] + CELSIUS)), MODEL.LENGTH)
    bearing = FormulaBearing(film, MODEL.RADIUS, clearance, cells=(96, 4))
    place, velocity = (out["B.ex"], out["B.ey"]), (out["shaft.journal.vx"], out["shaft.journal.vy"])
    at = run.time[run.time > run.time[-1] - 3 * 2 * np.pi / MODEL.SERVICE]
    field = film_fields(bearing, run.time, place, velocity, spins=(MODEL.SERVICE, 0.0), at=at)
    pressure = ("angle", "time"), field.pressure[:, :, 0].T, {"unit": "Pa", "title": "Pressure in the middle of bearing B"}
    return xr.Dataset(
        {"B.pressure": pressure}, coords={"angle": ("angle", field.theta[0], {"unit": "rad"}), "time": ("time", at, {"unit": "s"})}
    )
