"""Andrews' squeezer mechanism (planar, seven bodies, one degree of freedom, very fast) against its published solution.

Data: Giles 1978 and Schiehlen (ed.) 1990, Multibody Systems Handbook; Mazzia and Magherini, Test Set for Initial Value Problem
Solvers, release 2.4, problem "Andrews' squeezing mechanism".  Solution recomputed at tight tolerance (REFERENCES.md, section 1).
"""

import numpy as np
import pytest

import flexmbd as fm

XA, YA, XB, YB, XC, YC = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072
D, DA, E, EA, RR, RA, SS, SA, SB, SC, SD = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092, 0.035, 0.01874, 0.01043, 0.018, 0.02
TA, TB, U, UA, UB, ZF, ZT, FA = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
START = {
    "beta": -0.0617138900142764496358948458001, "theta": 0.0, "gamma": 0.455279819163070380255912382449,
    "phi": 0.222668390165885884674473185609, "delta": 0.487364979543842550225598953530,
    "omega": -0.222668390165885884674473185609, "epsilon": 1.23054744454982119249735015568,
}  # fmt: skip
END = dict(zip(START, (15.810771195154164, -15.756371058412315, 0.04082224011967312, -0.5347301163420344, 0.5244099658799498,
                       0.5347301163420356, 1.0480807410419375), strict=True))  # fmt: skip
ANGLES = {"K1": "beta", "K2": "beta theta", "K3": "gamma", "K4": "phi delta", "K5": "delta", "K6": "omega epsilon", "K7": "epsilon"}


def total(angles, keys):
    """Sum of named angles: the angle of a body's frame."""
    return sum(angles[key] for key in keys.split())


def squeezer():
    """The bodies' frames have their origin in the joint they are measured from; `offset` is the centre of mass."""
    s = fm.System()
    angle = {body: total(START, keys) for body, keys in ANGLES.items()}

    def turned(body, x, y):
        c, z = np.cos(angle[body]), np.sin(angle[body])
        return np.array([c * x - z * y, z * x + c * y])

    def body(name, mass, inertia, origin, centre, **points):
        return s.body(name, mass=mass, inertia=inertia, position=tuple(origin), angle=angle[name], offset=centre, points=points)

    a, b = np.array([XA, YA]), np.array([XB, YB])
    h, g, r = a + turned("K5", ZT, 0.0), a + turned("K7", 0.0, -U), turned("K1", RR, 0.0)
    o = (0.0, 0.0)
    k1 = body("K1", 0.04325, 2.194e-6, o, (RA, 0.0), O=o, R=(RR, 0.0))
    k2 = body("K2", 0.00365, 4.410e-7, r, (-DA, 0.0), R=o, P=(-D, 0.0))
    k3 = body("K3", 0.02373, 5.255e-6, b, (SB, -SA), B=o, P=(0.0, -SS), D=(SD, -SC))
    k4 = body("K4", 0.00706, 5.667e-7, h, (0.0, EA - E), H=o, P=(0.0, -E))
    k5 = body("K5", 0.07050, 1.169e-5, a, (TA, TB), A=o, H=(ZT, 0.0))
    k6 = body("K6", 0.00706, 5.667e-7, g, (ZF - FA, 0.0), G=o, P=(ZF, 0.0))
    k7 = body("K7", 0.05498, 1.912e-5, a, (-UB, -UA), A=o, G=(0.0, -U))
    pivots = [("O", s.ground.at(*o), k1["O"]), ("A5", s.ground.at(XA, YA), k5["A"]), ("A7", s.ground.at(XA, YA), k7["A"])]
    pivots += [("B", s.ground.at(XB, YB), k3["B"]), ("R", k1["R"], k2["R"]), ("H", k5["H"], k4["H"]), ("G", k7["G"], k6["G"])]
    for name, p, q in pivots + [(f"P{k}", k2["P"], other["P"]) for k, other in ((3, k3), (4, k4), (6, k6))]:
        s.add(fm.Revolute(name, p, q))
    s.add(fm.Spring("spring", s.ground.at(XC, YC), k3["D"], 4530.0, length=0.07785))
    s.add(fm.Torque("motor", s.ground, k1, 0.033))
    return s


def test_squeezer():
    outputs = [f"{body}.angle" for body in ANGLES] + ["energy.balance", "energy.kinetic"]
    got = fm.run(squeezer, {}, end=0.03, points=31, outputs=outputs, settings={"lanes": 1, "tolerance": 1e-12})
    assert not got.status.any()
    for body, keys in ANGLES.items():
        wanted = total(END, keys)
        assert got.outputs[f"{body}.angle"][0, -1] == pytest.approx(wanted, rel=1e-9), body
    energy = got.outputs["energy.balance"][0]
    assert np.ptp(energy) < 1e-9 * got.outputs["energy.kinetic"][0].max()
