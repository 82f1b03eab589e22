"""
What play does to a joint's force
=================================

A pendulum on a pin that has half a tenth of a millimetre of play, and on an ideal one. The journal falls through its play, strikes the
bearing, and bounces; after some impacts it stays in contact and the force is that of the ideal joint.
"""

import matplotlib.pyplot as plt

import flexmbd as fm


def pendulum(play=None):
    """A rod of 1 m and 1 kg from the horizontal."""
    s = fm.System(gravity=(0.0, -9.81))
    rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    pivot = s.ground.at(0.0, 0.0)
    if play is None:
        s.add(fm.Revolute("pin", pivot, rod["O"]))
    else:
        law = fm.HuntCrossley(1e9, restitution=0.6, calibrated=True)
        s.add(fm.ClearanceRevolute("pin", rod["O"], pivot, play, law, bearing_radius=0.01))
    return s


ideal = fm.run(pendulum(), end=0.06, points=1201, outputs=["pin.force"])
loose = fm.run(pendulum(5e-5), end=0.06, points=1201, outputs=["pin.force", "pin.force:max", "pin.impacts"])

figure, axes = plt.subplots(figsize=(8, 3.4), layout="constrained")
axes.plot(1e3 * loose.time, loose["pin.force"], color="tab:red", linewidth=0.8, label="50 µm of play")
axes.plot(1e3 * ideal.time, ideal["pin.force"], color="black", label="ideal")
axes.set(xlabel="time, ms", ylabel="force in the pin, N", yscale="symlog")
axes.legend(frameon=False)

# %%
print(f"largest force {float(loose['pin.force:max']):.0f} N, ideal {float(ideal['pin.force'].max()):.1f} N")
print(f"{int(loose['pin.impacts'][-1])} impacts")
