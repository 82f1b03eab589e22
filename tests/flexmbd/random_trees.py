"""Random trees of bodies, consistent at the start, and what formulations say of them there."""

import numpy as np

import flexmbd as fm
from flexmbd.analysis.equations import SINGLE
from flexmbd.equations.start import Start
from flexmbd.formulation import formulation_of

KINDS = ("Revolute", "Translational", "Cylindrical", "Universal", "Spherical", "Planar", "Fixed")


def unit(rng, d=3):
    x = rng.normal(size=d)
    return x / np.linalg.norm(x)


def matrix(vector):
    angle = np.linalg.norm(vector)
    x, y, z = vector / max(angle, 1e-300)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


class Motion:
    """A frame's place and motion."""

    def __init__(self, p, R, v, w):
        self.p, self.R, self.v, self.w = p, R, v, w

    def at(self, local):
        arm = self.R @ local
        return self.p + arm, self.v + np.cross(self.w, arm)


def space(rng, count, *, kinds=KINDS, free=0.2, against=0.4, springs=3):
    """A system in space: joints of all kinds between ground and bodies, some written against the tree, and springs."""
    s = fm.System(gravity=tuple(rng.normal(size=3)))
    bodies, motions = [s.ground], [Motion(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))]
    for k in range(count):
        kind = None if rng.random() < free else str(rng.choice(kinds))
        i = 0 if kind is None else int(rng.integers(len(bodies)))
        base, near, far = motions[i], rng.normal(size=3), rng.normal(size=3)
        axis, spin = unit(rng), np.zeros(3)  # in the parent's frame
        R = matrix(rng.normal(size=3)) if kind not in ("Translational", "Fixed") else np.eye(3)
        other = R.T @ axis
        if kind in (None, "Spherical"):
            spin = rng.normal(size=3)
        elif kind in ("Revolute", "Cylindrical", "Planar"):
            R = matrix(rng.normal() * axis)
            other, spin = axis, rng.normal() * axis
        elif kind == "Universal":
            across = np.cross(axis, unit(rng))
            across /= np.linalg.norm(across)
            other = R.T @ across
            spin = rng.normal() * axis + rng.normal() * across
        way, rate = np.zeros(3), np.zeros(3)
        if kind in ("Translational", "Cylindrical"):
            way, rate = rng.normal() * axis, rng.normal() * axis
        elif kind == "Planar":
            a = np.cross(axis, unit(rng))
            b = np.cross(axis, a)
            way, rate = (rng.normal() * a + rng.normal() * b for _ in range(2))
        elif kind is None:
            way, rate = rng.normal(size=3), rng.normal(size=3)
        turn = base.R @ R
        w = base.w + base.R @ spin
        p, v = base.at(near + way)
        v = v + base.R @ rate
        arm = turn @ far
        own = Motion(p - arm, turn, v - np.cross(w, arm), w)
        J = np.diag(rng.uniform(1.0, 1.5, 3))
        name = f"b{k}"
        inertia = tuple(np.diag(J)) + (() if rng.random() < 0.5 else tuple(0.1 * rng.normal(size=3)))
        body = s.body(
            name,
            mass=rng.uniform(0.5, 2.0),
            inertia=inertia,
            position=tuple(own.p),
            rotation=own.R.tolist(),
            velocity=tuple(own.v),
            angular_velocity=tuple(own.w),
            points={"P": tuple(rng.normal(size=3))},
        )
        if kind is not None:
            a, b = bodies[i].at(*near), body.at(*far)
            more = {"axis": tuple(axis)} if kind not in ("Spherical", "Fixed") else {}
            if kind == "Universal":
                more["axis_b"] = tuple(other)
            if rng.random() < against and kind != "Fixed":
                a, b = b, a
                more = {key: tuple(x) for key, x in zip(("axis", "axis_b"), (other, axis), strict=False) if key in more}
            s.add(getattr(fm, kind)(f"j{k}", a, b, **more))
        bodies.append(body)
        motions.append(own)
    _springs(s, rng, springs, bodies, 3)
    return s


def plane(rng, count, *, kinds=("Revolute", "Translational", "RevoluteTranslational", "Fixed"), free=0.2, against=0.4, springs=3):
    """The same in the plane."""
    s = fm.System(gravity=tuple(rng.normal(size=2)))
    bodies, motions = [s.ground], [(np.zeros(2), 0.0, np.zeros(2), 0.0)]

    def turned(angle, x):
        c, n = np.cos(angle), np.sin(angle)
        return np.array([c * x[0] - n * x[1], n * x[0] + c * x[1]])

    def across(x):
        return np.array([-x[1], x[0]])

    for k in range(count):
        kind = None if rng.random() < free else str(rng.choice(kinds))
        i = 0 if kind is None else int(rng.integers(len(bodies)))
        (p, angle, v, w), near, far, axis = motions[i], rng.normal(size=2), rng.normal(size=2), unit(rng, 2)
        reverse = kind is not None and rng.random() < against
        turn, spin = rng.normal(), 0.0 if kind in ("Translational", "Fixed") else rng.normal()
        own_angle, own_spin = angle + turn, w + spin
        slide = kind in ("Translational", "RevoluteTranslational")
        line = turned(own_angle if reverse else angle, axis)
        way, rate = (rng.normal(), rng.normal()) if slide else (0.0, 0.0)
        arm = turned(angle, near)
        place = p + arm + way * line
        speed = v + w * across(arm) + rate * line + way * (own_spin if reverse else w) * across(line)
        arm = turned(own_angle, far)
        place, speed = place - arm, speed - own_spin * across(arm)
        body = s.body(
            f"b{k}",
            mass=rng.uniform(0.5, 2.0),
            inertia=rng.uniform(0.5, 2.0),
            position=tuple(place),
            angle=own_angle,
            velocity=tuple(speed),
            rate=own_spin,
            points={"P": tuple(rng.normal(size=2))},
        )
        if kind is not None:
            a, b = bodies[i].at(*near), body.at(*far)
            more = {"axis": tuple(axis)} if slide else {}
            if kind in ("Translational", "Fixed"):
                more["angle"] = -turn if reverse else turn
            s.add(getattr(fm, kind)(f"j{k}", *((b, a) if reverse else (a, b)), **more))
        bodies.append(body)
        motions.append((place, own_angle, speed, own_spin))
    _springs(s, rng, springs, bodies, 2)
    return s


def _springs(s, rng, count, bodies, d):
    for k in range(count):
        i, j = rng.choice(len(bodies), 2, replace=False)
        ends = (bodies[i].at(*rng.normal(size=d)), bodies[j].at(*rng.normal(size=d)))
        s.add(fm.Spring(f"s{k}", *ends, stiffness=rng.uniform(1.0, 20.0), damping=rng.uniform(0.1, 2.0), length=rng.uniform(0.2, 1.0)))


def told(system, formulation, names=None, tuning=SINGLE):
    """Values at the start of the outputs named, or of all, by the accelerations that the formulation finds there."""
    made = formulation_of(formulation)(system, tuning=tuning)
    if formulation == "natural":  # as trees begin
        guess = (np.array(x, float).reshape(-1, 1) for x in made.initial(system))
        q, v = (x[:, 0] for x in Start(formulation_of("natural")(system, solved=False).problem(), system, 1).assembled(*guess))
    else:
        q, v = (np.array(x, float) for x in made.initial(system))
    names = sorted(made.outputs) if names is None else names
    skipped = [name for name in names if name.startswith("energy.") and name not in ("energy.kinetic", "energy.potential")]
    names = [name for name in names if name not in skipped]
    nodes = [made.graph.const(0.0) + made.outputs[name][0]() for name in names]
    known = {"q": q, "v": v, "t": 0.0, "s": _states(made, system), "mode": [0.0] * len(made.contacts), "impact_velocity": [1.0] * 99}
    known |= {"least_impact_velocity": [1e-3] * 99, "impacts": [0.0] * 99}
    with np.errstate(all="ignore"):  # of what is not selected
        return dict(zip(names, map(float, made.graph.evaluate(nodes, known, system.parameters())), strict=True))


def _states(made, system):
    angles = system.angles()
    return [float(angles.get(state.name.rpartition(".")[0], 0.0)) if state.name.endswith(".angle") else 0.0 for state in made.states]
