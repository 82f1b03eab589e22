"""What must not matter to any method: the order of inputs and outputs, the unit of an input, and of an output its unit, offset and sign."""

import re
from dataclasses import replace
from functools import wraps

import numpy as np
import pytest

from uqmbd.inputs import Focal, Fuzzy, Interval, Random
from uqmbd.inputs.space import Space

from .loop import drive
from .method_gallery import CASES, JOINT_IN_MM, MOST, TIME, core, of

K = 1024.0  # a power of two, which costs no digit
LINEAR = ("bounds", "inner", "error")


def run(case, method=None, inputs=None, model=None):
    if method is inputs is model is None:
        return case.result
    return drive(method or case.method, inputs or case.inputs, model or case.model, time=TIME)[0]


def pairs(one, other):
    """Group, name and values of both results, which have the same ones; ``other`` laid out as ``one``."""
    for key, group in one.groups():
        theirs = getattr(other, key)
        assert set(group.data_vars) == set(theirs.data_vars), key
        for name, values in group.data_vars.items():
            yield key, name, values, theirs[name].reindex_like(values).transpose(*values.dims)


def changed(case, k, c):
    """The method for outputs ``k y + c``."""
    if case.method.name == "reliability":
        side = "above" if k > 0 else "below"
        settings = {key: value for key, value in case.settings.items() if key != "above"}
        if "also" in settings:
            settings["also"] = {
                name: limit_changed(text.replace(">", ">="), k, c).replace("=", "") for name, text in settings["also"].items()
            }
        return type(case.method)(**settings, **{side: k * case.settings["above"] + c})
    if case.method.name in ("calibrate", "posterior"):
        scatter = {name: abs(k) * value for name, value in case.settings.get("deviations", {}).items()}
        return case.with_(scalars={name: k * value + c for name, value in case.settings["scalars"].items()}, deviations=scatter)
    if case.method.name in ("tolerances", "design"):
        several = {name: [texts] if isinstance(texts, str) else texts for name, texts in case.settings["limits"].items()}
        return case.with_(limits={name: [limit_changed(text, k, c) for text in texts] for name, texts in several.items()})
    if limits := case.settings.get("beyond"):
        return case.with_(beyond={name: limit_changed(text, k, c) for name, text in limits.items()})
    return case.method


def limit_changed(text, k, c):
    """``<= 2.4`` for the output ``k y + c``."""
    if "(" in text:  # of probabilities
        head, number, rest = re.fullmatch(r"(.*\(. )(.*?)(\).*)", text).groups()
        head = head if k > 0 else head.translate(str.maketrans("<>", "><"))
        return f"{head}{k * float(number) + c!r}{rest}"
    head, _, number = text.rpartition(" ")
    if head.startswith("width"):
        return f"{head} {abs(k) * float(number)!r}"
    return f"{head if k > 0 else head.translate(str.maketrans('<>', '><'))} {k * float(number) + c!r}"


def moved(case, k, c):
    @wraps(case.model)  # so that it takes the same controls
    def model(time, **x):
        return {name: k * y + c for name, y in case.model(time, **x).items()}

    return model


def size_of(values):
    found = np.abs(values.values[np.isfinite(values.values)].astype(float))
    return found.max(initial=1e-9)


def close(values, wanted, rtol, scale):
    """Where two arrays agree, infinite and unknown numbers too."""
    with np.errstate(invalid="ignore"):
        return (np.abs(values - wanted) <= rtol * scale) | (values == wanted) | (np.isnan(values) & np.isnan(wanted))


@MOST
def test_the_order_of_outputs(case):
    one, other = run(case), run(case, model=wraps(case.model)(lambda time, **x: dict(reversed(case.model(time, **x).items()))))
    assert set(other.outputs) == set(one.outputs)
    for key, name, a, b in pairs(one, other):
        np.testing.assert_allclose(b.values, a.values, rtol=1e-12, atol=1e-12, err_msg=f"{key} {name}")


@MOST
def test_the_unit_of_an_output(case):
    """Bounds and errors are in it; statistics and sensitivities, or their squares, are, or have none."""
    one, other = run(case), run(case, changed(case, K, 0.0), model=moved(case, K, 0.0))
    for key, name, a, b in pairs(one, other):
        size = size_of(a)
        powers = (1,) if key in LINEAR else (0, 1, 2)
        right = np.any([close(b.values / K**power, a.values, 1e-9, size) for power in powers], axis=0)
        assert right.all(), (key, name)


ROUNDING = {
    "taylor2-jumping": "c has no influence on h, so that rounding chooses the corner that is run for it",
    "fuzzy-split": "two parts of the box need a cut alike, and rounding decides which has it",
    "calibrate": "the last steps are as long as rounding",
}


@MOST
def test_the_offset_of_an_output(case):
    if why := next((why for name, why in ROUNDING.items() if case.name.startswith(name)), ""):
        pytest.skip(why)
    if getattr(case.method, "approach", "") == "derivative":
        pytest.skip("its derivatives are shares of the output, offset and all")
    if case.name == "search-jumping":
        pytest.skip("rounding sends it to another distance from a jump whose end no run can reach")
    one, other = run(case), run(case, changed(case, 1.0, 8.0), model=moved(case, 1.0, 8.0))
    for key, name, a, b in pairs(one, other):
        if key == "convergence":  # a goal that is a share of the mean moves with it otherwise
            a, b = (each.sel(statistic=[not str(word).endswith("_wanted") for word in each["statistic"].values]) for each in (a, b))
        size = 1 + size_of(a)
        if key == "trusted":
            assert (a == b).all(), name
        shifts = {"bounds": (8.0,), "inner": (8.0,), "error": (0.0,)}.get(key, (0.0, 8.0))
        right = np.any([close(b.values - shift, a.values, 1e-7, size) for shift in shifts], axis=0)
        assert right.all(), (key, name)


@MOST
def test_the_sign_of_an_output(case):
    if case.name == "search-jumping":
        pytest.skip("its draws go by side: it comes to another distance from a jump whose end no run can reach")
    if case.method.name == "design":
        pytest.skip("what is least is greatest then")
    one = run(case)
    if "searched_share" in one.attrs:  # a search draws by side: what it follows is looked at without it
        case = replace(case, method=case.method.model_copy(update={"fallback_runs": 0, "level_runs": 0}))
        one = run(case)
    other = run(case, changed(case, -1.0, 0.0), model=moved(case, -1.0, 0.0))
    for key, name, a, b in pairs(one, other):
        if key in ("bounds", "error") and case.name.startswith("search-"):
            # it draws by side: what it reaches is the same, what its populations disagreed about before is not, but is said
            if key == "bounds":
                room = case.method.safety * (one.error[name] + other.error[name]) + 1e-9 * (1 + size_of(a))
                mirrored = -b.sel(bound=["upper", "lower"]).values
                assert (np.abs(mirrored - a) <= room).all(), (key, name)
            continue
        if "bound" in a.dims and key in LINEAR:
            mirrored = -b.sel(bound=["upper", "lower"]).values
            assert close(mirrored, a.values, 1e-9, 1 + size_of(a)).all(), (key, name)
        elif key in ("error", "trusted"):
            np.testing.assert_allclose(b.values.astype(float), a.values.astype(float), atol=1e-9, err_msg=f"{key} {name}")


# inputs -----------------------------------------------------------------------------------------------------------------------------------
SHAPES = {"gamma": ("shape",), "binomial": ("size", "prob")}  # parameters that have no unit


def in_mm(item):
    if getattr(item, "made", None) is not None:
        return Random(1e3 * item.made, "mm")
    if isinstance(item, Interval):
        return Interval(1e3 * item.lower, 1e3 * item.upper, "mm")
    if isinstance(item, Focal):
        return Focal({**item.focal, "intervals": (1e3 * np.array(item.focal["intervals"])).tolist()}, "mm")
    if isinstance(item, Fuzzy):
        return Fuzzy(
            {key: value if key in ("type", "alpha") else (1e3 * np.array(value)).tolist() for key, value in item.fuzzy.items()}, "mm"
        )
    table = {"scale": 1.0} | item.distribution if item.distribution["type"] == "exponential" else item.distribution
    plain = ("type", *SHAPES.get(table["type"], ()))
    return Random({key: value if key in plain else (1e3 * np.array(value)).tolist() for key, value in table.items()}, "mm")


def space_in_mm(space):
    sets = {name: item.model_dump(exclude_none=True) for name, item in space.sets.items()}
    for item in sets.values():
        if "covariance" in item:
            item |= {"covariance": 1e6 * np.array(item["covariance"]), "center": 1e3 * np.array(item["center"]), "units": ["mm"] * 2}
    if space.joints:
        return JOINT_IN_MM
    return Space({name: in_mm(item) for name, item in space.written.items()}, space.dependence, sets)


PURE = "whole", "kinds", "counted"  # numbers and words, which have no unit
TOLERANCES = "at", "per", "smallest"  # what costs say in the unit of the input


@pytest.mark.parametrize("case", core([each for each in CASES if not each.name.endswith(PURE)]))
def test_the_unit_of_an_input(case):
    numbers = {key: {name: [1e3 * x for x in row] for name, row in case.settings[key].items()} for key in ("samples", "values", "move")
               if isinstance(case.settings.get(key), dict)}  # fmt: skip
    if isinstance(case.settings.get("values"), list):  # of one input
        numbers["values"] = [1e3 * x for x in case.settings["values"]]
    if costs := case.settings.get("costs"):
        lengths = {name: {key: 1e3 * x for key, x in cost.items() if key in TOLERANCES} for name, cost in costs.items()}
        numbers["costs"] = {name: cost | lengths[name] for name, cost in costs.items()}
    one, other = run(case), run(case, case.with_(**numbers), space_in_mm(case.inputs))
    rtol = 1e-5 if case.method.name == "calibrate" else 1e-7
    for key, name, a, b in pairs(one, other):
        size = size_of(a)
        assert close(b.values.astype(float), a.values.astype(float), rtol, max(size, 1e-9 if key != "error" else 1.0)).all(), (key, name)


FIXED = "taylor2-box", "grid", "list", "sensitivity-derivative", "reliability-form", "reliability-sorm", "vertex-box"
EXACT = (
    "chebyshev-box",
    "chebyshev-three",
    "chebyshev-sparse",
    "chebyshev-tolerance",
    "pce-uniform",
    "pce-intervals",
    "fuzzy-tri",
    "convex-e",
    "convex-w",
)
VERIFIED = "evidence-focal", "sensitivity-width", "reliability-interval"
SAID = ("mean", "std", "min", "max", "beta", "probability", "fitted", "first", "total", "derivative", "width_reduction")


@of(*FIXED, *EXACT, *VERIFIED, but=("chebyshev-sparse-jumping",))
def test_the_order_of_inputs(case):
    """Where it depends on nothing random; an expansion that holds the response exactly does not either."""
    space = case.inputs
    turned = Space(
        dict(reversed(space.written.items())), space.dependence, {n: s.model_dump(exclude_none=True) for n, s in space.sets.items()}
    )
    one, other = run(case), run(case, inputs=turned)
    for key, name, a, b in pairs(one, other):
        if key in ("statistics", "sensitivity"):
            dim = "statistic" if key == "statistics" else "kind"
            kept = [word for word in a[dim].values if word in SAID and not (case.method.name == "pce" and word in ("min", "max"))]
            a, b = a.sel({dim: kept}), b.sel({dim: kept})
        elif key != "bounds":
            continue
        # beside the bounds is a margin of some 1e-15 of the scale, and a gap of 1e-6 of the range to the verified ends
        np.testing.assert_allclose(
            b.values, a.values, rtol=1e-12 if case.name.startswith(("grid", "list")) else 3e-6, atol=1e-6, err_msg=f"{key} {name}"
        )
