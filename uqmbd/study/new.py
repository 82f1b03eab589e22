"""A study to start from."""

from __future__ import annotations

from pathlib import Path

from uqmbd.campaign.files import write, writing
from uqmbd.errors import StudyError
from uqmbd.study.study import check_name

STUDY = """\
# Run it with: uqmbd run {name}/study.toml

[study]
name = "{name}"
model = "model.py:pendulum"        # a function in a file beside this one, or "package.module:function"

[time]                             # leave it out for models that return only numbers
end = 5.0                          # s
points = 501

[inputs.length]                    # the model's arguments, by name
interval = [0.95, 1.05]            # nothing is known but the ends; or fuzzy = {{ type = "triangular", lower = 1, mode = 2, upper = 3 }}
unit = "m"                         # any unit; the model gets SI

[inputs.damping]
interval = [0.05, 0.15]            # or distribution = {{ type = "normal", mean = 0.1, std = 0.02 }}, {{ data = "file.csv", column = "c" }}
unit = "1/s"

[outputs]
include = ["angle", "angle:max", "energy"]   # what the model returns; name:max, :min, :rms, :mean, :final reduce over time

[method]
type = "chebyshev"                 # bounds from intervals; "montecarlo" (samples = 1000) takes distributions
degree = 6

[campaign]
workers = 2
seed = 1
"""

MODEL = '''\
"""A damped pendulum released at 0.1 rad. Replace it by a model of your own.

A model is a function of the study's inputs. It returns a `flexmbd.System`, or, as here, a dict of numbers and arrays over time.
"""

import numpy as np

G = 9.81  # m/s2


def pendulum(length, damping, time):
    """Small oscillation, closed form: the angle [rad] over time, and the energy per mass left at the end [J/kg]."""
    frequency = np.sqrt(G / length - damping**2 / 4)
    angle = 0.1 * np.exp(-damping * time / 2) * np.cos(frequency * time)
    return {"angle": angle, "energy": 0.5 * G * length * 0.1**2 * np.exp(-damping * time[-1])}
'''


def write_new(folder: Path) -> Path:
    """Write ``study.toml`` and ``model.py`` into a new folder."""
    name = check_name(folder.name)
    for file in ("study.toml", "model.py"):
        if (folder / file).exists():
            raise StudyError("is there already", file=folder / file, remedy="choose another name")
    with writing(folder):
        write(folder / "study.toml", STUDY.format(name=name).encode())
        write(folder / "model.py", MODEL.encode())
    return folder
