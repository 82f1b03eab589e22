"""What a study asks, as data: equal whether it was made in Python or read from a file, frozen, and in SI whatever the units."""

import doctest
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import uqmbd as uq
from uqmbd.spec.reading import read_spec
from uqmbd.spec.toml import write_toml

FILE = Path("/nowhere/study.toml")
numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
pairs = st.tuples(numbers, numbers).filter(lambda pair: pair[1] - pair[0] > 1e-6).map(list)
triples = st.lists(numbers, min_size=3, max_size=3, unique=True).map(sorted).filter(lambda t: t[2] - t[0] > 1e-6)
units = st.sampled_from(["", "m", "mm", "um", "deg", "rad", "N/m", "N/mm", "degC", "percent", "kg*m**2", "kg/s²"])


def random(kind, *names):
    return lambda pair: uq.Random({"type": kind, **dict(zip(names, pair, strict=True))})


KINDS = {
    "interval": pairs.map(lambda pair: uq.Interval(*pair)),
    "uniform": pairs.map(random("uniform", "lower", "upper")),
    "normal": st.tuples(numbers, st.floats(1e-3, 1e3)).map(random("normal", "mean", "std")),
    "truncated": st.floats(0.1, 3.0).map(lambda cut: uq.Random({"type": "normal", "mean": 0.0, "std": 1.0, "truncate": [-cut, cut]})),
    "fuzzy": triples.map(lambda t: uq.Fuzzy({"type": "triangular", "lower": t[0], "mode": t[1], "upper": t[2]})),
    "focal": pairs.map(lambda pair: uq.Focal({"intervals": [pair, [pair[0] - 1.0, pair[1]]], "masses": [0.25, 0.75]})),
    "fixed": numbers.map(uq.Fixed),
}
METHODS = {
    "interval": [uq.Chebyshev(degree=3), uq.Vertex(), uq.Search(), [uq.Vertex(), uq.Chebyshev(degree=2)]],
    "random": [
        uq.MonteCarlo(samples=9),
        uq.PCE(degree=2, samples=32),
        {"few": uq.MonteCarlo(samples=4), "b": uq.MonteCarlo(samples=64)},
    ],
    "fuzzy": [uq.FuzzyBounds(degree=3, levels=3)],
    "focal": [uq.Evidence()],
}
of_kind = {"uniform": "random", "normal": "random", "truncated": "random"}


@st.composite
def studies(draw):
    """Keywords of `uqmbd.Study`: one to three uncertain inputs of one kind, perhaps a fixed one, and a method that treats them."""
    family = draw(st.sampled_from(list(METHODS)))
    kinds = [kind for kind in KINDS if of_kind.get(kind, kind) == family]
    inputs = {}
    for name in "abc"[: draw(st.integers(1, 3))]:
        item = draw(KINDS[draw(st.sampled_from(kinds))])
        inputs[name] = type(item)(**{**dict(item), "unit": draw(units)})
    if draw(st.booleans()):
        inputs["known"] = uq.Fixed(draw(numbers), unit=draw(units))
    more = draw(st.fixed_dictionaries({}, optional={
        "title": st.text(max_size=9), "time": st.builds(uq.TimeGrid, end=st.floats(1e-3, 9.0), points=st.integers(2, 99)),
        "solver": st.dictionaries(st.sampled_from(["tolerance", "step"]), st.floats(1e-9, 1.0)), "units": st.just({"y": "N"}),
        "campaign": st.fixed_dictionaries({"seed": st.integers(0, 99)}, optional={"timeout": st.floats(0.1, 60.0)}),
        "report": st.just({"key": "y"}),
    }))  # fmt: skip
    method = draw(st.sampled_from(METHODS[family]))
    return {"model": "math:hypot", "outputs": ["y", "z"], "name": "s", "inputs": inputs, "method": method, **more}


def again(spec):
    """The same by way of the text of a study file."""
    return read_spec(tomllib.loads(write_toml(spec.document())), FILE)


@settings(max_examples=50, deadline=None)
@given(studies())
def test_made_in_python_and_read_from_its_file_are_equal(keywords):
    spec = uq.Study(**keywords).spec
    read = again(spec)
    assert read == spec and hash(read) == hash(spec) and read.question() == spec.question()
    assert write_toml(read.document()) == write_toml(spec.document())
    assert {name: item.describe() for name, item in read.inputs.items()} == {name: x.describe() for name, x in keywords["inputs"].items()}


SAME = {"m": ("cm", 100.0), "N/m": ("N/mm", 0.001), "rad": ("mrad", 1000.0), "s": ("ms", 1000.0)}


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(sorted(SAME)), st.tuples(st.integers(-99, 99), st.integers(1, 99)))
def test_the_unit_in_which_it_was_written_makes_no_other_study(unit, ends):
    """Powers of two are kept exactly by the factors; others to the last digit, which then is another number."""
    other, factor = SAME[unit]
    lower, upper = 1024.0 * ends[0], 1024.0 * (ends[0] + ends[1])

    def asked(low, high, written):
        inputs = {"a": uq.Interval(low, high, unit=written)}
        return uq.Study(model="math:sqrt", inputs=inputs, outputs=["y"], method=uq.Vertex()).spec

    one, same = asked(lower, upper, unit), asked(lower * factor, upper * factor, other)
    if dict(one.inputs["a"].content()) == dict(same.inputs["a"].content()):
        assert one == same and one.question() == same.question()
    assert np.allclose([same.inputs["a"].lower, same.inputs["a"].upper], [lower, upper], rtol=1e-14)
    assert asked(lower, upper, "") != one


def test_a_distribution_in_another_unit_is_another_one():
    """Its parameters stay in the unit in which they were written, which the identity of a result has to know."""

    def asked(unit):
        inputs = {"a": uq.Random({"type": "normal", "mean": 1.0, "std": 0.1}, unit=unit)}
        return uq.Study(model="math:sqrt", inputs=inputs, outputs=["y"], method=uq.MonteCarlo(samples=4)).spec

    assert asked("mm") == asked("mm") != asked("m") and asked("mm").question() != asked("m").question()


def test_nothing_is_executed_before_it_is_needed(tmp_path):
    (tmp_path / "model.py").write_text("raise RuntimeError('executed')\n")
    study = uq.Study(
        model="model.py:f", inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["y"], method=uq.Vertex(), directory=tmp_path,
        report={"fields": "model.py:g", "figures": "model.py:h"},
    )  # fmt: skip
    assert study.spec.document()["report"]["figures"] == [f"{tmp_path}/model.py:h"] and study.name == "f"
    with pytest.raises(uq.StudyError, match="importing it raises RuntimeError: executed"):
        _ = study.model


def test_a_study_is_not_changed_but_made_anew(tmp_path):
    study = uq.Study(model=lambda a: {"y": a}, inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["y"], method=uq.Vertex())
    with pytest.raises(AttributeError, match=r"study.changed\(method=...\)"):
        study.method = uq.Chebyshev(degree=2)
    with pytest.raises(Exception, match="frozen"):
        study.spec.time = None
    other = study.loaded().changed(method=uq.Chebyshev(degree=2))
    assert (study.method.name, other.method.name) == ("vertex", "chebyshev") and other.model is study.model and other != study
    assert other.changed(method=uq.Vertex()) == study


def test_functions_without_a_name_are_equal_to_themselves_alone():
    def asked(model):
        return uq.Study(model=model, inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["y"], method=uq.Vertex())

    one, other = (lambda a: {"y": a}), (lambda a: {"y": -a})
    assert asked(one) == asked(one) != asked(other)


def test_a_misspelt_parameter_is_named():
    with pytest.raises(TypeError, match="no parameter 'tittle'; did you mean \"title\""):
        uq.Study(model="math:sqrt", inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["y"], method=uq.Vertex(), tittle="x")


def test_the_page_says_what_is_so():
    page = Path(__file__).parents[2] / "docs" / "reuse.md"
    assert doctest.testfile(str(page), module_relative=False) == (0, 5)


GOOD = {
    "study": {"model": "math:hypot"},
    "inputs": {"x": {"interval": [1, 2]}},
    "outputs": {"include": ["y"]},
    "method": {"type": "vertex"},
}


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        ({"study": {"model": "a:b", "command": "x"}}, "study.model", "not both"),
        ({"study": {}}, "study.model", "a model, a command, or a simulator"),
        ({"study": {"simulator": "math:hypot", "vectorized": True}}, "study.vectorized", "all runs of a batch"),
        ({"study": {"model": "a:b", "title": 3}}, "study.title", "string"),
        ({"studdy": {}}, "studdy", "no section"),
        ({"campaign": 3}, "campaign", "CampaignSettings"),
        ({"time": 3}, "time", "TimeGrid"),
        ({"inputs": 3}, "inputs", "by their names"),
        ({"method": 3}, "method", "expected a method"),
        ({"sets": {"a": 3}}, "sets.a", "a set is a table"),
    ],
)
def test_what_is_no_section_is_named(change, key, words):
    with pytest.raises(uq.StudyError, match=words) as caught:
        uq.StudySpec(**GOOD | change)
    assert caught.value.key == key
