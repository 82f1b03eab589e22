"""
A beam that bends far
=====================

A cantilever under a moment at its end bends into a circle: 2 pi EI / l closes it. It is a cable by the absolute nodal coordinate
formulation; equilibria are found load step by load step, without any time integration.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmbd as fm

LENGTH, STIFFNESS = 1.0, 2e11 * 1e-11  # m, N m²
section = fm.Section(area=1e-5, second_moment=1e-11)
steel = fm.Material(2e11, 0.3, 7850.0)

s = fm.System()
wire = s.cable("wire", length=LENGTH, elements=8, section=section, material=steel, points={f"p{k}": k / 24 for k in range(1, 24)})
s.add(fm.Clamp("clamp", s.ground.at(0.0, 0.0), wire["start"]))
s.add(fm.SectionTorque("bend", wire["end"], fm.Polynomial((0.0, 2 * np.pi * STIFFNESS / LENGTH))))
path = fm.static(s, steps=16)

figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
names = ["start", *(f"p{k}" for k in range(1, 24)), "end"]
for step in range(0, len(path["wire.end.x"]), 4):
    places = [[path[f"wire.{name}.{axis}"][step] for name in names] for axis in "xy"]
    axes.plot(*places, "-", color=plt.cm.viridis(step / 16))
axes.set(xlabel="x, m", ylabel="y, m", aspect="equal")

# %%
# Half of the moment brings the end to (0, 2 l / pi).

half = [path[f"wire.end.{axis}"][8] for axis in "xy"]
print(f"at half of the moment: x = {half[0]:.4f} m, y = {half[1]:.4f} m; exact 0 and {2 / np.pi:.4f}")
assert abs(half[1] - 2 / np.pi) < 2e-3
