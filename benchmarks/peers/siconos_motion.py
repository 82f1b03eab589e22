"""Bouncing balls and the woodpecker toy by Siconos's Moreau-Jean scheme: ``siconos_motion.py balls|woodpecker STEP END [COUNT]``.

Prints one JSON object: seconds of the time loop, steps, state at the end.  The toy is Glocker and Studer's with small angles (2005), as
in Siconos's own examples: constant mass matrix, linear gaps.
"""

import json
import sys
import time

import numpy as np
import siconos.kernel as sk

G = 9.81
TOY = {
    "mM": 0.0003, "JM": 5e-9, "mS": 0.0045, "JS": 7e-7, "c": 0.0056, "r0": 0.0025, "rM": 0.0031, "hM": 0.0058, "lM": 0.010, "lG": 0.015,
    "hS": 0.02, "lS": 0.0201, "mu": 0.3, "e": (0.5, 0.0, 0.0), "q0": (0.0, -0.1036, -0.2788), "v0": (-0.3411, 0.0, -7.4583),
}  # fmt: skip


def balls(count):
    """Balls of 1 kg from 1 m, restitution 0.8, each over its own floor."""
    bodies, interactions = [], []
    for k in range(count):
        body = sk.LagrangianLinearTIDS(np.array([1.0 + 0.01 * k]), np.array([0.0]), np.eye(1))
        body.setFExtPtr(np.array([-G]))
        bodies.append(body)
        interactions.append((sk.Interaction(sk.NewtonImpactNSL(0.8), sk.LagrangianLinearTIR(np.eye(1))), body))
    return bodies, interactions, sk.LCP()


def woodpecker():
    """Sleeve and bird on a pole; three contacts with friction."""
    t = TOY
    m, j = t["mS"], t["mS"] * t["lM"] * t["lG"]
    mass = np.array([
        [t["mS"] + t["mM"], m * t["lM"], m * t["lG"]],
        [m * t["lM"], t["JM"] + m * t["lM"] ** 2, j],
        [m * t["lG"], j, t["JS"] + m * t["lG"] ** 2],
    ])  # fmt: skip
    body = sk.LagrangianLinearTIDS(np.array(t["q0"]), np.array(t["v0"]), mass)
    body.setKPtr(np.array([[0.0, 0.0, 0.0], [0.0, t["c"], -t["c"]], [0.0, -t["c"], t["c"]]]))
    body.setFExtPtr(-G * np.array([t["mS"] + t["mM"], m * t["lM"], m * t["lG"]]))
    rows = (
        ([0.0, 0.0, -t["hS"]], [1.0, t["lM"], t["lG"] - t["lS"]], t["lM"] + t["lG"] - t["lS"] - t["r0"], t["e"][0]),
        ([0.0, t["hM"], 0.0], [1.0, t["rM"], 0.0], t["rM"] - t["r0"], t["e"][1]),
        ([0.0, -t["hM"], 0.0], [1.0, t["rM"], 0.0], t["rM"] - t["r0"], t["e"][2]),
    )
    interactions = []
    for normal, tangent, gap, e in rows:
        relation = sk.LagrangianLinearTIR(np.array([normal, tangent]), np.array([gap, 0.0]))
        interactions.append((sk.Interaction(sk.NewtonImpactFrictionNSL(e, 0.0, t["mu"], 2), relation), body))
    return [body], interactions, sk.FrictionContact(2)


case, step, end = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
bodies, interactions, solver = woodpecker() if case == "woodpecker" else balls(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
model = sk.NonSmoothDynamicalSystem(0.0, end)
for body in bodies:
    model.insertDynamicalSystem(body)
for interaction, body in interactions:
    model.link(interaction, body)
simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0.0, step), sk.MoreauJeanOSI(0.5), solver)
steps, start = 0, time.perf_counter()
while simulation.hasNextEvent():
    simulation.computeOneStep()
    simulation.nextStep()
    steps += 1
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "steps": steps, "q": [list(map(float, body.q())) for body in bodies[:1]]}))
