"""Every method and approach with inputs of every kind that it takes, on functions that cost nothing: what conformance tests run over.

A case has a method, inputs for it, and a model ``(time, **samples) -> outputs``. Each model has two scalars, ``s`` and ``t``, a history
``h``, and a curve ``f`` over a frequency; `SMOOTH` is trusted by every surrogate, `JUMPING` by none, so that runs of a fallback are
there as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import chaospy
import numpy as np
import pytest

from uqmbd.inputs import Choice, Focal, Fuzzy, Integers, Interval, Random
from uqmbd.inputs.space import Space
from uqmbd.methods import METHODS, Method
from uqmbd.methods.reliability import APPROACHES as RELIABILITY
from uqmbd.methods.sensitivity import APPROACHES as SENSITIVITY

from .loop import drive

TIME = np.linspace(0.0, 2.0, 4)
FREQUENCY = np.arange(1.0, 4.0)


# models -----------------------------------------------------------------------------------------------------------------------------------
def SMOOTH(time, a, b, c=0.5):
    h = 1.0 + a[:, None] * np.sin(time) + (b**2)[:, None] * np.cos(time)
    f = a[:, None] / FREQUENCY + (b**2)[:, None]
    return {"s": a + b**2 + 0.3 * a * b + 0.1 * c * a, "h": h, "f": f, "t": a + b}


def JUMPING(time, a, b, c=0.5):
    found = SMOOTH(time, a, b, c)
    jump = np.where(np.sin(5 * a) + b > 0.7, 1.0, 0.0)
    return found | {"s": found["s"] + jump, "h": found["h"] + jump[:, None] * time, "f": found["f"] + jump[:, None] / (1 + FREQUENCY)}


def LEVELLED(time, a, b, c=0.5, steps=1e9):
    """Coarse steps are off by what depends on the inputs."""
    off = 0.1 * a / steps
    return {name: y + (off if y.ndim == 1 else off[:, None]) for name, y in SMOOTH(time, a, b, c).items()}


def UNEQUAL(time, a, b, c=0.5, fidelity=1.0):
    """The cheaper model knows nothing of what depends on c, has other sizes, and is off by a constant."""
    first, cheap = SMOOTH(time, a, b, c), SMOOTH(time, a, b, 0.0 * a)
    of = np.broadcast_to(fidelity, len(a)) == 1.0
    return {name: np.where(of if y.ndim == 1 else of[:, None], y, 0.8 * cheap[name] + 0.5) for name, y in first.items()}


# inputs of each kind; a lies mostly in [1, 2], b in [0, 1] ----------------------------------------------------------------------
def random(kind, **parameters):
    return Random({"type": kind, **parameters})


BOX = {"a": Interval(1.0, 2.0), "b": Interval(0.0, 1.0)}
THREE = BOX | {"c": Interval(0.2, 0.6)}
UNIFORM = {"a": random("uniform", lower=1.0, upper=2.0), "b": random("uniform", lower=0.0, upper=1.0)}
TAILED = {"a": random("normal", mean=1.5, std=0.2), "b": random("lognormal", mean=0.5, std=0.2)}
OTHERS = {
    "a": random("gamma", shape=9.0, scale=1 / 6),
    "b": random("triangular", lower=0.0, mode=0.3, upper=1.0),
    "c": Random({"type": "normal", "mean": 0.4, "std": 0.1, "truncate": [0.2, 0.6]}),
}
OBJECTS = {"a": Random(chaospy.GaussianKDE([1.3, 1.4, 1.6, 1.9])), "b": Random(0.5 * 2 ** chaospy.Normal(0, 0.2))}
PARTS = OBJECTS | {"a": Random(chaospy.Normal(1.4, 0.1) + chaospy.Uniform(0, 0.2))}
JOINT, JOINT_IN_MM = (
    Space({"a, b": Random(chaospy.Clayton(chaospy.J(chaospy.Uniform(size, 2 * size), chaospy.Uniform(0, size)), 2.0), unit)})
    for size, unit in ((1, ""), (1000, "mm"))
)
WAITING = {name: random("exponential") for name in "ab"}
KINDS = {"a": Integers(1, 4), "b": Choice(["soft", "hard"], weights=[2, 1]), "c": random("uniform", lower=0.2, upper=0.6)}
WHOLE = UNIFORM | {"b": random("binomial", size=4, prob=0.3)}
BOUND = Space(TAILED, dependence={"rank_correlation": [["a", "b", 0.6]]})
BOTH = UNIFORM | {"b": Interval(0.0, 1.0)}
NUMBER = Fuzzy({"type": "triangular", "lower": 1.0, "mode": 1.5, "upper": 2.0})
LEVELS = Fuzzy({"alpha": [0.0, 0.5, 1.0], "lower": [0.0, 0.3, 0.4], "upper": [1.0, 0.7, 0.6]})
ELEMENTS = Focal({"intervals": [[0.0, 0.6], [0.4, 1.0]], "masses": [0.5, 0.5]})
PAIR = {"inputs": ["a", "b"], "correlation": [["a", "b", 0.5]]}
ELLIPSE, ROTATED = Space(BOX, sets={"both": PAIR}), Space(BOX, sets={"both": PAIR | {"shape": "box"}})
COVARIANCE = Space(
    {}, sets={"both": {"inputs": ["a", "b"], "covariance": [[0.04, 0.01], [0.01, 0.02]], "center": [1.5, 0.5], "radius": 2.0}}
)


@dataclass(frozen=True)
class Case:
    """One way to use a method.

    Attributes
    ----------
    name : str
    method : Method
    inputs : Space
    model : callable
    more : Method or None
        The same with more samples, where the method says that these extend the fewer ones.
    new : Method or None
        The same with more samples, where it says that these are new ones.
    """

    name: str
    method: Method
    inputs: Space
    model: Callable[..., Mapping[str, np.ndarray]] = SMOOTH
    more: Method | None = None
    new: Method | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def result(self):
        """What the method finds where nothing is amiss: once a process, for tests that only look at it."""
        return drive(self.method, self.inputs, self.model, time=TIME)[0]

    def with_(self, **settings) -> Method:
        """The method with other settings."""
        return type(self.method)(**{**self.settings, **settings})


def case(kind, what, inputs, model=SMOOTH, *, more=None, new=None, **settings):
    made = METHODS[kind]
    name = "-".join(filter(None, [kind, settings.get("approach", ""), what]))
    others = [None if keys is None else made(**{**settings, **keys}) for keys in (more, new)]
    return Case(name, made(**settings), Space.of(inputs), model, *others, settings)


LIMITS = {"resamples": 10}
SAMPLES = {  # of sensitivity: what each approach needs, and settings that keep it quick
    "sobol": {"samples": 32, **LIMITS},
    "morris": {"samples": 8, **LIMITS},
    "fast": {"samples": 65},
    "rbd_fast": {"samples": 100, **LIMITS},
    "delta": {"samples": 60, "resamples": 4},
    "dgsm": {"samples": 8, **LIMITS},
    "pawn": {"samples": 60, **LIMITS},
    "hdmr": {"samples": 330, "degree": 2, "resamples": 2},
    "shapley": {"samples": 16, **LIMITS},
    "derivative": {},
    "width": {"degree": 3},
}
TURNS = {"move": {"a": [1.0, 3.0]}, "approach": "sora", "starts": 2, "samples": 20}
SHOWN = {"front": "t", "compromises": 3}
COSTS = {"a": {"reciprocal": 1.0}, "b": {"exponential": 2.0, "per": 0.25, "smallest": 0.01}}
RARE = {"output": "s", "above": 3.1}
WALK = {"deviations": {"s": 0.2, "t": 0.3}, "walkers": 8, "max_steps": 20}

STEPS = {"control": "steps", "levels": [2.0, 4.0, 8.0], "error": "80 %", "pilot": 20}

RIGID = {"fidelities": [1.0, 0.0], "error": "80 %", "pilot": 40}
RANDOM = {"uniform": UNIFORM, "whole": WHOLE, "bound": BOUND, "joint": JOINT, "parts": PARTS, "kinds": KINDS}

CASES = [
    case("chebyshev", "box", BOX, degree=3),
    case("chebyshev", "three", THREE, degree=2, corner_runs=True),
    case("chebyshev", "jumping", BOX, JUMPING, degree=3),
    case("chebyshev", "split", BOX, JUMPING, degree=3, split=True, max_runs=150),
    case("chebyshev", "sparse", THREE, grid="sparse", max_runs=60),
    case("chebyshev", "sparse-jumping", BOX, JUMPING, grid="sparse", max_runs=60),
    case("chebyshev", "tolerance", BOX, tolerance=1e-4, max_runs=200),
    case("chebyshev", "asked", BOX, degree=3, questions=["bounds", "indices", "width"]),
    case("chebyshev", "split-asked", BOX, JUMPING, degree=3, split=True, max_runs=150, questions=["indices", "width"]),
    case("montecarlo", "uniform", UNIFORM, samples=40, more={"samples": 100}),
    case("montecarlo", "tailed", TAILED, samples=64, design="sobol", more={"samples": 128}),
    case("montecarlo", "others", OTHERS, JUMPING, samples=40, design="lhs", history_runs=20, new={"samples": 60}),
    case("montecarlo", "until", UNIFORM, samples=20, until={"mean": "1e-9 %", "std": "1e-9 %", "most": 90}),
    case("montecarlo", "beyond", UNIFORM, samples=40, beyond={"s": "> 2.2", "t": "< 2"}, more={"samples": 100}),
    case("montecarlo", "whole", WHOLE, samples=40, quantiles=[0.1, 0.5]),
    case("montecarlo", "kinds", KINDS, samples=40, more={"samples": 100}),
    case("montecarlo", "parts", PARTS, samples=40, more={"samples": 100}),
    case("montecarlo", "bound", BOUND, samples=40, more={"samples": 100}),
    case("montecarlo", "joint", JOINT, samples=40, more={"samples": 100}),
    case("multilevel", "uniform", UNIFORM, **STEPS),
    case("multilevel", "whole", WHOLE, **STEPS),
    case("multilevel", "kinds", KINDS, **STEPS),
    case("multilevel", "bound", BOUND, **STEPS),
    case("multilevel", "joint", JOINT, **STEPS),
    case("multilevel", "parts", PARTS, **STEPS),
    case("multilevel", "levelled", UNIFORM, LEVELLED, beyond={"s": "> 2.2"}, **STEPS),
    *(case("multifidelity", what, inputs, **RIGID) for what, inputs in RANDOM.items()),
    case("multifidelity", "unequal", UNIFORM, UNEQUAL, **RIGID),
    case("pce", "uniform", UNIFORM, samples=40, max_degree=4, new={"samples": 60}),
    case("pce", "tailed", TAILED, samples=60, max_degree=4, design="sobol"),
    case("pce", "others", OTHERS, samples=60, degree=3, design="random", sparse=False),
    case("pce", "jumping", UNIFORM, JUMPING, samples=40, max_degree=3),
    case("pce", "doptimal", UNIFORM, samples=40, degree=3, design="doptimal"),
    case("pce", "whole", WHOLE, samples=60, degree=2),
    case("pce", "bound", BOUND, samples=60, degree=3),
    case("pce", "joint", JOINT, samples=60, degree=3),
    case("pce", "objects", OBJECTS, samples=60, max_degree=4),
    case("pce", "intervals", BOTH, samples=40, degree=3),
    case("pce", "asked", BOX, samples=40, degree=3, questions=["bounds", "width"]),
    case("pce", "quadrature", TAILED, design="quadrature", degree=3),
    case("taylor1", "box", BOX, fallback_runs=20),
    case("taylor2", "box", BOX),
    case("taylor2", "jumping", THREE, JUMPING, fallback_runs=20),
    case("search", "box", BOX, max_runs=480, fresh=120),
    case("search", "counted", BOX | {"a": Integers(1, 4)}, max_runs=480, fresh=120),
    case("search", "jumping", THREE, JUMPING, max_runs=880, fresh=120),
    case("vertex", "box", BOX),
    case("vertex", "jumping", THREE, JUMPING, fallback_runs=20),
    case("fuzzy", "triangular", BOX | {"a": NUMBER}, levels=3, degree=3),
    case("fuzzy", "levels", {"a": NUMBER, "b": LEVELS}, JUMPING, levels=[0.0, 0.4, 1.0], degree=3, level_runs=4),
    case("fuzzy", "split", BOX | {"a": NUMBER}, JUMPING, levels=3, degree=3, split=True, max_runs=150, level_runs=0, fallback_runs=0),
    case("fuzzy", "sparse", THREE | {"a": NUMBER}, levels=3, grid="sparse", max_runs=60),
    case("convex", "split", ELLIPSE, JUMPING, degree=3, split=True, max_runs=150),
    case("convex", "sparse", ELLIPSE, grid="sparse", max_runs=60),
    case("convex", "ellipse", ELLIPSE, degree=3),
    case("convex", "rotated", ROTATED, JUMPING, degree=3),
    case("convex", "within", COVARIANCE, degree=3, within=True),
    case("mixed", "interval", BOTH, samples=60, degree=3, germs=256),
    case("mixed", "jumping", BOTH, JUMPING, samples=80, degree=3, germs=256),
    case("mixed", "fuzzy", TAILED | {"b": NUMBER}, samples=60, degree=3, germs=256, levels=2),
    case("mixed", "set", Space({"c": OTHERS["c"], **BOX}, sets={"both": PAIR}), samples=60, degree=2, germs=256),
    case("mixed", "bound", Space({"c": Interval(0.2, 0.6), **TAILED}, dependence=BOUND.dependence), samples=60, degree=2, germs=256),
    case("evidence", "focal", BOX | {"b": ELEMENTS}, degree=3),
    case("evidence", "split", BOX | {"b": ELEMENTS}, JUMPING, degree=3, split=True, max_runs=150),
    case("evidence", "sparse", THREE | {"b": ELEMENTS}, grid="sparse", max_runs=60),
    case("evidence", "jumping", BOX | {"b": ELEMENTS}, JUMPING, degree=3, fallback_runs=40),
    *(
        case("sensitivity", "random", UNIFORM, approach=name, **keys, more={"samples": 64} if name == "sobol" else None)
        for name, keys in SAMPLES.items()
        if name not in ("width", "shapley")
    ),
    case("sensitivity", "bound", BOUND, approach="shapley", **SAMPLES["shapley"]),
    *(
        case("sensitivity", "grouped", OTHERS, approach=name, input_groups={"both": ["a", "b"]}, **SAMPLES[name])
        for name in ("sobol", "morris")
    ),
    case("sensitivity", "pairs", OTHERS, approach="sobol", samples=16, second_order=True, **LIMITS),
    *(case("sensitivity", "box", BOX, approach=name, **SAMPLES[name]) for name in ("morris", "pawn", "derivative", "width")),
    *(case("reliability", "tailed", TAILED, approach=name, **RARE) for name in ("form", "sorm")),
    case("reliability", "tailed", TAILED, approach="importance", samples=100, **RARE),
    case("reliability", "bent", WAITING, approach="importance", samples=100, output="s", above=12.0),
    case("reliability", "tailed", TAILED, approach="subset", samples=100, levels=6, **RARE),
    case("reliability", "tailed", TAILED, approach="montecarlo", samples=100, more={"samples": 160}, output="s", above=2.2),
    case("reliability", "bound", BOUND, JUMPING, approach="montecarlo", samples=60, output="s", above=2.0),
    case("reliability", "until", TAILED, approach="montecarlo", samples=30, until={"cov": "1 %", "most": 120}, output="s", above=2.2),
    case("reliability", "tailed", TAILED, approach="ak_mcs", cov=0.2, max_runs=60, **RARE),
    case("reliability", "bound", BOUND, approach="subset", samples=100, levels=6, output="s", above=3.3),
    case("reliability", "bound", BOUND, approach="form", output="s", above=3.3),
    case("reliability", "joint", JOINT, approach="form", output="s", above=3.2),
    case("reliability", "parts", PARTS, approach="montecarlo", samples=60, output="s", above=2.0),
    case("reliability", "system", TAILED, approach="importance", samples=60, also={"t": "> 2.1"}, system="series", output="s", above=2.2),
    case("reliability", "box", BOX, approach="interval", degree=4, output="s", above=3.2),
    case("reliability", "ellipse", ELLIPSE, approach="interval", degree=4, output="s", above=3.2),
    case("grid", "box", BOX, points=4),
    case("grid", "random", TAILED, values={"a": [1.2, 1.7]}, points={"b": 9}),
    case("grid", "kinds", KINDS, points={"c": 3}),
    case("list", "kinds", KINDS, samples={"a": [1, 3, 2], "b": ["soft", "hard", "soft"], "c": [0.3, 0.4, 0.5]}),
    case("list", "box", BOX, samples={"a": np.linspace(1, 2, 12).tolist(), "b": np.linspace(0, 1, 12)[::-1].tolist()}),
    case("list", "bound", BOUND, samples={"a": [1.2, 1.5, 1.8], "b": [0.4, 0.3, 0.6]}),
    case("list", "ellipse", ELLIPSE, samples={"a": [1.2, 1.5, 1.8], "b": [0.4, 0.3, 0.6]}),
    case("list", "joint", JOINT, samples={"a": [1.2, 1.5, 1.8], "b": [0.4, 0.3, 0.6]}),
    case("list", "parts", PARTS, samples={"a": [1.2, 1.5, 1.8], "b": [0.4, 0.3, 0.6]}),
    case("design", "moved", BOTH | {"a": TAILED["a"]}, minimise="t", limits={"s": "beta(< 2.2) >= 2"}, move={"a": [1.0, 3.0]}, samples=40),
    case("design", "bound", BOUND, minimise="t", limits={"s": ["P(< 1.5) <= 0.05", "<= 4.0"]}, move={"a": [1.0, 3.0]}, samples=20),
    case("design", "spread", BOTH | {"a": TAILED["a"]}, minimise="t", measure="mean + 2 std", limits={"s": "beta(< 2.2) >= 2"}, **TURNS),
    case("tolerances", "box", BOX, degree=3, costs=COSTS, limits={"s": ["<= 2.4", ">= 1.7"], "t": "width <= 1.2"}, **SHOWN),
    case("bifurcation", "box", BOX, parameter="a", points=20, period=2 / 3, skip=0),
    case("bifurcation", "random", UNIFORM | {"a": BOX["a"]}, JUMPING, values=[1.0, 1.5, 2.0], samples=8, sections=["f"]),
    case("basins", "box", BOX, cells=5, period=2 / 3, skip=0),
    case("basins", "random", UNIFORM | {"a": BOX["a"]}, JUMPING, random=30, samples=3, sections=["f"], keep=4),
    case("tolerances", "jumping", THREE, JUMPING, degree=3, costs=COSTS, limits={"s": "<= 2.4"}, stack="root_of_squares"),
    case("calibrate", "box", BOX, scalars={"s": 2.032, "t": 2.0}),
    case("calibrate", "random", TAILED, scalars={"s": 2.1, "t": 1.9}, starts=3, differences="forward"),
    case("posterior", "random", TAILED, scalars={"s": 2.1, "t": 1.9}, **WALK),
    case("posterior", "bound", BOUND, scalars={"s": 2.1}, **WALK | {"deviations": {"s": 0.2}}),
    case("posterior", "joint", JOINT, scalars={"s": 2.1, "t": 1.9}, **WALK),
    case("posterior", "slopes", TAILED, scalars={"s": 2.1, "t": 1.9}, moves={"langevin": 0.5, "differential": 0.5}, **WALK),
    case("posterior", "surrogate", TAILED, scalars={"s": 2.1, "t": 1.9}, surrogate="kriging", samples=8, batch=4, max_runs=16, **WALK),
]  # fmt: skip
NAMED = {each.name: each for each in CASES}
assert len(NAMED) == len(CASES)

ALL = pytest.mark.parametrize("case", [pytest.param(each, id=each.name) for each in CASES])
FIRST = {each.name.rsplit("-", 1)[0]: each.name for each in reversed(CASES)}  # of each method and approach
CORE = {*FIRST.values(), "chebyshev-sparse", "convex-rotated", "mixed-jumping", "mixed-fuzzy", "pce-jumping"}


def core(cases=CASES):
    """Parameters for `cases`, of which only those of `CORE` are run where slow tests are left out."""
    return [pytest.param(each, id=each.name, marks=() if each.name in CORE else pytest.mark.slow) for each in cases]


MOST = pytest.mark.parametrize("case", core())


def of(*names, but=()):
    """A parametrization over the cases of some methods or ``method-approach``, without those named in `but`."""
    chosen = [each for each in CASES if each.name.startswith(names) and not each.name.startswith(tuple(but))]
    return pytest.mark.parametrize("case", core(chosen))


def methods_and_approaches() -> set[str]:
    """Every method, with its approach where it has several, as cases have to be there for."""
    several = {"sensitivity": SENSITIVITY, "reliability": RELIABILITY}
    return {f"{m.name}-{approach}" if approach else m.name for m in METHODS.values() for approach in several.get(m.name, ("",))}
