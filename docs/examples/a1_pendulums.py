"""
Many pendulums at once
======================

A model is a function of its numbers. Arrays in place of numbers are samples: all of them are integrated side by side, in the lanes of the
processor's registers.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmbd as fm


def pendulum(length):
    """A bob on a rod without mass, let go from the horizontal."""
    s = fm.System(gravity=(0.0, -9.81))
    bob = s.point_mass("bob", mass=1.0, position=(length, 0.0))
    s.add(fm.Distance("rod", s.ground.at(0.0, 0.0), bob.centre))
    return s


lengths = np.linspace(0.5, 2.0, 16)
found = fm.run(pendulum, {"length": lengths}, end=2.0, points=201, outputs=["bob.x", "bob.y", "rod.force:max", "energy.balance"])

# %%
# Every output is an array over samples and times, with its unit.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
axes[0].plot(found.time, found["bob.x"].T, color="tab:blue", alpha=0.5)
axes[0].set(xlabel="time, s", ylabel=f"bob.x, {found.units['bob.x']}")
axes[1].plot(found["bob.x"].T, found["bob.y"].T, color="tab:blue", alpha=0.5)
axes[1].set(xlabel="x, m", ylabel="y, m", aspect="equal")

# %%
# At the bottom the rod bears three times the weight, whatever its length; and no energy is lost.

print(found["rod.force:max"].round(3))
assert np.allclose(found["rod.force:max"], 3 * 9.81, rtol=1e-6)
assert np.ptp(found["energy.balance"], axis=1).max() < 1e-6
