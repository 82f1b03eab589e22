"""
Bounds of a frequency response
==============================

Stiffness and damping of a machine's mount are known as intervals: between which bounds does its motion for a unit force lie, at every
frequency? The model is a Python function; its output is a curve over an axis of its own.
"""

import tempfile

import matplotlib.pyplot as plt
import numpy as np

import uqmbd as uq

FREQUENCY = np.linspace(5.0, 15.0, 101)


def mount(stiffness, damping):
    """A machine of 1 kg."""
    w = 2 * np.pi * FREQUENCY
    receptance = 1e3 * np.abs(1 / (stiffness - w**2 + 1j * damping * w))
    return {"receptance": uq.Curve(receptance, FREQUENCY, "frequency", unit="mm/N", axis_unit="Hz")}


study = uq.Study(
    model=mount,
    inputs={"stiffness": uq.Interval(3600.0, 4400.0, unit="N/m"), "damping": uq.Interval(8.0, 12.0)},
    outputs=["receptance", "receptance:frequency_of_max"],
    method=uq.Chebyshev(degree=10),
    name="mount",
)
result = study.run(workers=0, out=tempfile.mkdtemp(), report=False, progress=False)

# %%
# Outer bounds are widened by the error that validation runs showed. All frequencies are trusted here.

band, error = result.bounds["receptance"], result.error["receptance"]
figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
axes.fill_between(FREQUENCY, *(band.sel(bound=end) for end in ("lower", "upper")), alpha=0.3, label="bounds")
for stiffness in (3600.0, 4000.0, 4400.0):
    axes.plot(FREQUENCY, mount(stiffness, 10.0)["receptance"].values, color="black", linewidth=0.7)
axes.set(xlabel="frequency, Hz", ylabel="receptance, mm/N")
axes.legend(frameon=False)

# %%
print(result.table()[["lower", "upper"]])
assert bool(result.trusted["receptance"].all())
