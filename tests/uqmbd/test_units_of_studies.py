"""A study is one study, whatever units its inputs are written in: equal, of one identity, with the same runs to the last bit."""

import tarfile
from decimal import Decimal
from pathlib import Path

import chaospy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import uqmbd as uq
from uqmbd.inputs.catalogue import FAMILIES
from uqmbd.inputs.distributions import NAMED, in_si
from uqmbd.inputs.units import to_si
from uqmbd.study.running_methods import run_methods

U = np.random.default_rng(1).random((64, 2))
OLD = Path(__file__).parent / "folders_0_1_0"


def asked(inputs, sets=None) -> uq.StudySpec:
    method = uq.ConvexBounds() if sets else uq.MonteCarlo(samples=8)
    return uq.StudySpec(study={"model": "math:hypot"}, inputs=inputs, sets=sets or {}, outputs={"include": ["y"]}, method=method)


def are_one(*specs: uq.StudySpec) -> bool:
    """Whether two specs are equal in value and identity, and draw the same numbers."""
    one, other = specs
    drawn = [spec.space.samples(U[:, : len(spec.space)]) for spec in specs]
    alike = all(np.array_equal(drawn[0][name], drawn[1][name]) for name in drawn[0])
    assert (one == other) == (one.question() == other.question()) == alike
    return alike


FORMS = {  # of three rising numbers and a unit
    "uniform": lambda a, b, c, unit: uq.Uniform(a, c, unit=unit),
    "normal": lambda a, b, c, unit: uq.Normal(c, a, unit=unit),
    "truncated": lambda a, b, c, unit: uq.Normal(b, a, truncate=[a, c], unit=unit),
    "lognormal": lambda a, b, c, unit: uq.Lognormal(b, a, unit=unit),
    "gumbel": lambda a, b, c, unit: uq.Gumbel(c, a, unit=unit),
    "triangular": lambda a, b, c, unit: uq.Triangular(a, b, c, unit=unit),
    "weibull": lambda a, b, c, unit: uq.Weibull(1.7, c, shift=a, unit=unit),
    "beta": lambda a, b, c, unit: uq.Beta(2.0, 3.0, a, c, unit=unit),
    "scipy": lambda a, b, c, unit: uq.Random(stats.weibull_min(1.5, a, c), unit=unit),
    "chaospy": lambda a, b, c, unit: uq.Random(chaospy.Uniform(a, c), unit=unit),
    "kernels": lambda a, b, c, unit: uq.Random(b * chaospy.GaussianKDE([1.0, 2.0, 3.0, 5.0]) + a, unit=unit),
    "power": lambda a, b, c, unit: uq.Random(c * chaospy.Normal(3.0, 0.1) ** 2, unit=unit),
    "interval": lambda a, b, c, unit: uq.Interval(a, c, unit=unit),
    "fuzzy": lambda a, b, c, unit: uq.Fuzzy({"type": "triangular", "lower": a, "mode": b, "upper": c}, unit=unit),
    "focal": lambda a, b, c, unit: uq.Focal({"intervals": [[a, b], [b, c]], "masses": [0.5, 0.5]}, unit=unit),
    "fixed": lambda a, b, c, unit: uq.Fixed(b, unit=unit),
}


def shifted(number: float, power: int) -> float:
    """The number with its decimal point elsewhere, as one writes it in another unit."""
    return float(Decimal(repr(number)).scaleb(power))


@pytest.mark.parametrize("form", FORMS)
@given(
    numbers=st.lists(st.integers(1, 99999), min_size=3, max_size=3, unique=True),
    point=st.integers(-4, 2),
    unit=st.sampled_from([("mm", -3), ("um", -6), ("km", 3), ("cm", -2)]),
)
def test_an_input_is_the_same_in_every_unit(form, numbers, point, unit):
    written = [shifted(float(number), point) for number in sorted(numbers)]
    there, here = FORMS[form](*written, unit[0]), FORMS[form](*(shifted(number, unit[1]) for number in written), "m")
    assert there.to_si().content() == here.content()
    u = np.linspace(0.0, 1.0, 7) if here.kind not in ("random", "fixed") else U
    assert np.array_equal(there.to_si().ppf(u), here.ppf(u))
    assert there.to_si().describe() == there.describe() != here.describe()


USUAL = {"lower": 1.0, "mode": 2.0, "midpoint": 2.0, "upper": 3.0, "size": 9.0, "prob": 0.4, "mean": 2.0, "std": 0.5}
SHAPES = {"alpha": 2.0, "beta": 3.0, "shape": 0.7, "shape1": 2.0, "shape2": 1.5}


def table_of(kind: str) -> dict:
    needed = NAMED[kind].parameters if kind in NAMED else [name for name, usual in FAMILIES[kind].parameters.items() if usual is None]
    return {"type": kind, **{name: (SHAPES | USUAL)[name] for name in needed}}


@pytest.mark.parametrize("kind", [*NAMED, *FAMILIES])
@pytest.mark.parametrize("unit", ["mm", "degF"])
def test_parameters_in_si_say_the_same_distribution(kind, unit):
    """Against the quantiles in the unit itself; those without such parameters keep them, and are scaled."""
    written, si, u = uq.Random(table_of(kind), unit=unit), to_si(unit), np.linspace(0.03, 0.97, 9)
    wanted = si.factor * written.ppf(u) + si.offset
    assert written.to_si().ppf(u) == pytest.approx(wanted, rel=1e-9)
    held = in_si(written.distribution, si) is None
    assert held == (kind in ("binomial", "discreteuniform") or (unit == "degF" and kind in ("lognormal", "foldednormal")))
    assert (written.to_si().scale == si.factor) == held
    assert np.array_equal(written.as_before().ppf(u), wanted)


def test_whole_numbers_and_usual_values_are_no_other_study():
    one = asked({"x": uq.Random({"type": "Weibull", "shape": 2, "scale": 1000}, unit="mm")})
    assert are_one(one, asked({"x": uq.Weibull(2.0, 1, unit="m")}))
    assert not are_one(one, asked({"x": uq.Weibull(2.0, 1000, unit="m")}))


def test_distributions_from_data_are_the_same_in_every_unit(tmp_path):
    values = ["12.07", "9.3", "11.91", "10.44", "10.6", "13.37", "8.88"]
    for name, power in (("mm", 0), ("m", -3)):
        (tmp_path / f"{name}.csv").write_text("\n".join(["d", *(repr(shifted(float(value), power)) for value in values)]))

    def fitted(unit, **how):
        return asked({"d": uq.Random({"data": str(tmp_path / f"{unit}.csv"), "column": "d", **how}, unit=unit)})

    for how in ({}, {"fit": "kde"}, {"fit": "weibull"}, {"fit": "best", "predictive": True}, {"smooth": True}):
        assert are_one(fitted("mm", **how), fitted("m", **how)), how
    cut = fitted("mm", fit="normal", truncate=[8, 14]), fitted("m", fit="normal", truncate=[0.008, 0.014])
    assert are_one(*cut) and "8, 14] mm" in cut[0].space["d"].describe()


JOINT = {
    "independent": lambda f: chaospy.J(chaospy.Normal(7.0 * f, 0.3 * f), chaospy.Uniform(0.07 * f, 0.19 * f)),
    "Gaussian copula": lambda f: chaospy.Nataf(
        chaospy.J(chaospy.Normal(7.0 * f, 0.3 * f), chaospy.Uniform(0.25 * f, 0.5 * f)), [[1, 0.5], [0.5, 1]]
    ),
    "Clayton": lambda f: chaospy.Clayton(chaospy.J(chaospy.Normal(7.0 * f, 0.3 * f), chaospy.Uniform(0.25 * f, 0.5 * f)), 2.0),
}


@pytest.mark.parametrize("kind", JOINT)
def test_joint_distributions_are_the_same_in_every_unit(kind):
    """In km and m, since these factors are exact."""
    km, m = ({"a, b": uq.Random(JOINT[kind](factor), unit=unit)} for factor, unit in ((1.0, "km"), (1000.0, "m")))
    assert are_one(asked(km), asked(m))


def test_one_variable_that_makes_another_keeps_its_unit():
    first = chaospy.Normal(7.0, 0.3)
    joint = {unit: asked({"a, b": uq.Random(chaospy.J(first, chaospy.Normal(first, 0.2)), unit=unit)}) for unit in ("mm", "m")}
    drawn = {unit: spec.space.samples(U) for unit, spec in joint.items()}
    assert not are_one(*joint.values())
    for name in "ab":
        assert drawn["mm"][name] == pytest.approx(1e-3 * drawn["m"][name], rel=1e-15)


def test_convex_sets_are_the_same_in_every_unit(tmp_path):
    mm = {"inputs": ["a", "b"], "covariance": [[0.07, 0.01], [0.01, 0.3]], "center": [0.7, 3.3], "radius": 2, "units": ["mm", "N"]}
    m = mm | {"covariance": [[7e-08, 1e-05], [1e-05, 0.3]], "center": [0.0007, 3.3], "units": ["m", "N"]}
    one, other = asked({}, {"s": mm}), asked({}, {"s": m})
    assert are_one(one, other) and np.array_equal(one.space.sets["s"].generators, other.space.sets["s"].generators)
    assert "mm" in one.space["a"].describe() and uq.StudySpec(**one.document()) == one
    assert not are_one(one, asked({}, {"s": mm | {"units": ["m", "N"]}}))
    rows = np.array([[1.07, 2.0], [3.3, 4.1], [2.2, 7.9], [4.0, 1.0]])
    for name, power in (("mm", 0), ("m", -3)):
        lines = (f"{shifted(a, power)!r},{b}" for a, b in rows.tolist())
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b", *lines]))
    by_data = [{"inputs": ["a", "b"], "data": str(tmp_path / f"{unit}.csv"), "units": [unit, "N"]} for unit in ("mm", "m")]
    assert are_one(*(asked({}, {"s": one}) for one in by_data))


def test_runs_are_used_in_every_unit(tmp_path):
    (tmp_path / "model.py").write_text("def f(a, b):\n    return {'y': a * b}\n")

    def study(unit, samples):
        inputs = {"a": uq.Normal(7.3, 0.31, unit="mm"), "b": uq.Uniform(0.07, 0.19, unit="mm")}
        if unit == "m":
            inputs = {"a": uq.Normal(0.0073, 0.00031, unit="m"), "b": uq.Uniform(0.07e-3, 0.19e-3, unit="m")}
        how = dict(model=str(tmp_path / "model.py:f"), outputs=["y"], campaign={"workers": 0}, name="s")
        return uq.Study(inputs=inputs, method=uq.MonteCarlo(samples=samples), **how)

    def simulated(*asked):
        tally = run_methods(study(*asked), out=tmp_path / "r", progress=False)["montecarlo"].tally
        return tally and tally.simulated

    assert [simulated(*each) for each in (("mm", 16), ("m", 16), ("m", 24), ("mm", 24))] == [16, None, 8, None]
    assert uq.open_results(tmp_path / "r").facts.inputs["a"].unit == "mm"


# folders of before ------------------------------------------------------------------------------------------------------------------------
@pytest.fixture(params=["c9fb6a70", "61d3a7e2"])
def folder(request, tmp_path):
    """Studies in mm, and their folders of results, as commits wrote them that converted values, not the numbers of a distribution."""
    with tarfile.open(OLD / f"mm_{request.param}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


IN_METRES = {
    "mean = 10.0, std = 0.3": "mean = 0.01, std = 0.0003",
    "lower = 0.1, upper = 0.2": "lower = 0.0001, upper = 0.0002",
    "[0.07, 0.19]": "[7e-05, 0.00019]",
    '"mm"': '"m"',
}


@pytest.mark.parametrize("name", ["mm_chebyshev", "mm_montecarlo"])
@pytest.mark.parametrize("unit", ["mm", "m"])
def test_a_folder_of_before_is_used_in_every_unit(folder, name, unit):
    file, place = folder / f"{name}.toml", folder / name
    text = mm = file.read_text()
    for old, new in IN_METRES.items() if unit == "m" else ():
        text = text.replace(old, new)
    assert (text == mm) == (unit == "mm")
    file.write_text(text)
    runs = {key: values.values for key, values in uq.open_results(place).runs.data_vars.items() if key.startswith("input:")}
    done = next(iter(run_methods(uq.Study.from_file(file), out=place, progress=False).values()))
    assert done.tally is None or done.tally.simulated == 0
    if name == "mm_montecarlo":
        file.write_text(text.replace("samples = 24", "samples = 30"))
        for expected in ((6, 30), None):
            done = next(iter(run_methods(uq.Study.from_file(file), out=place, progress=False).values()))
            assert (done.tally and (done.tally.simulated, done.tally.asked)) == expected
    after = uq.open_results(place).runs
    assert all(np.array_equal(after[key].values[: len(values)], values) for key, values in runs.items())


# the version of the package ---------------------------------------------------------------------------------------------------------------
def test_another_version_of_the_package_computes_nothing(tmp_path, monkeypatch):
    """What decides is the format of runs and of results."""
    (tmp_path / "model.py").write_text("def f(a):\n    return {'y': a * a}\n")
    how = dict(model=str(tmp_path / "model.py:f"), outputs=["y"], campaign={"workers": 0}, name="s")
    study = uq.Study(inputs={"a": uq.Interval(1.0, 2.0)}, method=uq.Vertex(), **how)

    def tally():
        return run_methods(study, out=tmp_path / "r", progress=False)["vertex"].tally

    assert tally().simulated > 0
    monkeypatch.setattr("uqmbd.study.identity.version", lambda package: "9.9.9")
    monkeypatch.setattr("uqmbd.__version__", "9.9.9", raising=False)
    assert tally() is None
    monkeypatch.setattr("uqmbd.study.identity.FORMAT_OF_RESULTS", 2)
    assert tally().simulated == 0
