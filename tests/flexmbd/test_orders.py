"""Every integrator keeps its declared order in q, v and lambda on an ANCF pendulum and on the heavy top, both as the literature has them:
flexible with linear rows, and rigid with quadratic ones, a singular mass matrix, and directors that turn at 150 rad/s.  `rope` is the first
with its elements in a group, `kept` the second with kept factors of Newton's matrix, as systems with groups have them.

Multipliers are the scheme's own, at the time at which they act; those of explicit schemes, and the reactions in outputs, are index-1
functions of q and v.  The reference is the explicit scheme of order 5 with a fifth of its smallest step; `test_ida` has it checked
by another method.
"""

import functools

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.integrators import INTEGRATORS
from flexmbd.tuning import Tuning

from .orders import TUNED, tuned
from .test_integrator_family import ended, multipliers
from .test_spatial_bodies import heavy_top


def cable_pendulum(elements=2):
    """Pinned, released at rest from the horizontal; with two elements its fastest vibration has a period of 50 ms."""
    s = fm.System(gravity=(0.0, -9.81))
    rope = s.cable("rope", length=1.0, elements=elements, section=fm.Section(1e-3, 1e-6), material=fm.Material(1e5, 0.3, 1000.0))
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rope.start))
    return s


IMPLICIT = [name for name, scheme in INTEGRATORS.items() if scheme.correction is not None]
LOW = [name for name, scheme in INTEGRATORS.items() if scheme.order <= 5 and not scheme.needs]  # of others `test_integrator_family`
PROBLEMS = {  # model, output, end in s, schemes
    "cable": (cable_pendulum, "rope.end.x:final", 0.7, LOW),  # near 0.6 and 0.65 s leading errors of multipliers pass zero
    "rope": (functools.partial(cable_pendulum, 5), "rope.end.x:final", 0.3, IMPLICIT),
    # of rosenbrock, here its explicit tableau, what is of order 5 outweighs the rest until rounding: slopes from 4.4 down to 4.07
    "top": (heavy_top, "top.x:final", 0.05, [name for name in LOW if name != "rosenbrock"]),
    "kept": (heavy_top, "top.x:final", 0.05, IMPLICIT),
}
STEPS = {  # the largest, in s, by order; then halves and quarters
    "cable": {1: 2e-3, 2: 1e-3, 4: 2e-3, 5: 2e-3},
    "rope": {1: 1.25e-4, 2: 5e-4, 5: 1e-3},
    "top": {1: 5e-5, 2: 2.5e-4, 4: 1e-3, 5: 5e-4},
}
STEPS["kept"] = STEPS["top"]
TUNINGS = {  # index programs compile in half the time
    "cable": Tuning(),
    "rope": Tuning(),
    "top": Tuning(piece=100),
    "kept": Tuning(piece=100, kept_factors=True, blocks=0, dense=np.inf),
}

USUAL = {("rope", "generalized_alpha")}


@functools.cache
def exact(problem, when):
    """q, v, multipliers."""
    build, output, *_ = PROBLEMS[problem]
    q, v, forces, _ = ended(build, output, when, integrator="dormand_prince", step=STEPS[problem][5] / 20, tuning=TUNINGS[problem])
    return q, v, forces


def errors(problem, name):
    """Of q, v, the scheme's own multipliers, and index-1 multipliers, (steps, 4); whether all rows are linear, and factors kept."""
    (build, output, end, _), scheme, found = PROBLEMS[problem], tuned(name), []
    for h in STEPS[problem][scheme.order] / 2.0 ** np.arange(3):
        q, v, own, model = ended(build, output, end, integrator=name, step=h, tuning=TUNINGS[problem], **TUNED.get(name, {}))
        place, speed, forces = exact(problem.replace("kept", "top"), end)
        acting = exact(problem.replace("kept", "top"), end + scheme.multiplier_time * h)[2]
        pairs = (q, place), (v, speed), (own, acting), (multipliers(model, build(), q, v, end), forces)
        found.append([np.linalg.norm(a - b) for a, b in pairs])
    return np.array(found), not any(row.polynomial.hessian() for row in model.problem.rows), model.keeps_factors


def cases():
    """All schemes; each has to be compiled."""
    for problem, (*_, schemes) in PROBLEMS.items():
        for name in schemes:
            yield pytest.param(problem, name, marks=[] if (problem, name) in USUAL else pytest.mark.slow)


@pytest.mark.slow
@pytest.mark.parametrize("problem, name", list(cases()))
def test_order_of_positions_velocities_and_multipliers(problem, name):
    scheme, (found, linear, kept) = tuned(name), errors(problem, name)
    assert kept == (scheme.correction is not None and problem in ("rope", "kept"))
    curved = scheme.order if scheme.multiplier_order is None else scheme.multiplier_order
    own = scheme.order if linear else curved  # it is the rows' curvature that costs multipliers an order
    slopes = np.diff(np.log(found), axis=0) / np.log(0.5)
    excess = slopes[-1] - [scheme.order, scheme.order, own, scheme.order]
    above = 0.2 if scheme.order < 5 else 0.3  # errors of order 5 reach rounding before the slope of the multipliers has come down
    assert np.all(excess > -0.2) and np.all(excess < above), (found, slopes)
