"""An input that is held fixed is no uncertainty: the result is that of the model without it, and its runs are those of the same model."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.inputs import read_input
from uqmbd.methods import METHODS
from uqmbd.report.summary import summary_of
from uqmbd.study import Study
from uqmbd.study.running_methods import run_methods
from uqmbd.study.watching import so_far

from .loop import told
from .method_gallery import FIRST, NAMED, TIME

MODEL = """
def f(a, b, c=0.5):
    return {"s": a + b**2 + 0.3 * a * b + c * a, "t": a + b}
"""


@pytest.fixture
def study(tmp_path):
    (tmp_path / "model.py").write_text(MODEL)

    def make(inputs, method=None, **changes):
        settings = dict(outputs=["s"], method=method or uq.Chebyshev(degree=2), name="s", campaign={"workers": 0})
        return Study(model=str(tmp_path / "model.py:f"), inputs=inputs, **{**settings, **changes})

    return make


def simulated(study, folder):
    done = next(iter(run_methods(study, out=folder, progress=False).values()))
    return done.tally and done.tally.simulated, done.result


INTERVALS = {"a": uq.Interval(1.0, 2.0), "b": uq.Interval(0.0, 1.0)}


@pytest.mark.parametrize("name", FIRST.values())
def test_every_method_has_the_result_of_the_inputs_that_are_left(name):
    """Told the same, it says the same to the last bit, whatever place the fixed input has among the others."""
    case, results = NAMED[name], []
    held = dict(list(case.inputs.items())[:1]) | {"held": uq.Fixed(0.1)} | dict(list(case.inputs.items())[1:])
    space = type(case.inputs)(held) if type(case.inputs) is dict else None
    if space is None:
        space = uq_space(case.inputs, held)
    outputs = {key: uq_info(values) for key, values in case.model(TIME, **middle(case.inputs)).items() if key != "f"}
    for inputs in (case.inputs, space):
        run = case.method.start(inputs, outputs, TIME, 3)
        while (asked := run.ask()) is not None:
            samples = told(asked)
            if "held" in inputs:
                assert (samples["held"] == 0.1).all()
            values = case.model(TIME, **{key: np.asarray(x, float) for key, x in samples.items() if key != "held"})
            run.tell(samples, {key: values[key] for key in outputs}, np.zeros(len(samples["a"]), np.int8))
        results.append(run.result())
    for key, group in results[0].groups():
        assert group.equals(getattr(results[1], key)), key


def uq_space(inputs, held):
    from uqmbd.inputs.space import Space

    own = {key: item for key, item in held.items() if key not in inputs or key in inputs.written}
    return Space(own, inputs.dependence, inputs.sets)


def uq_info(values):
    from uqmbd.outcomes import OutputInfo

    return OutputInfo("m") if values.ndim > 1 else OutputInfo("m", axis=None)


def middle(inputs):
    return {name: item.to_si().ppf(np.array([0.5])) for name, item in inputs.items()}


def test_runs_are_found_again_where_the_value_is_the_same(study, tmp_path):
    """The middle of an interval is a node: fixed there, the runs of that slice are there already, and the other way round."""
    whole = INTERVALS | {"c": uq.Interval(100.0, 300.0, unit="mm")}
    slice_ = INTERVALS | {"c": uq.Fixed(200.0, unit="mm")}
    grid = uq.Grid(points=3)
    assert simulated(study(whole, grid), tmp_path / "r")[0] == 27
    count, result = simulated(study(slice_, grid), tmp_path / "r")
    assert count == 0 and result.attrs["runs"] == 9
    assert (result.runs["input:c"].values == 0.2).all()
    assert result.inner["s"].values.tolist() == [1.0 + 0.2, 2.0 + 1.0 + 0.6 + 0.4]
    assert simulated(study(whole, grid), tmp_path / "r")[0] == 0
    assert simulated(study(INTERVALS | {"c": uq.Fixed(0.3, unit="m")}, grid), tmp_path / "r")[0] == 0
    assert simulated(study(INTERVALS | {"c": uq.Fixed(0.25, unit="m")}, grid), tmp_path / "r")[0] == 9


@pytest.mark.usefixtures("tried_here")
def test_the_command_set_knows_it(study, tmp_path, uqmbd):
    text = f"""
        [study]
        name = "s"
        model = "{tmp_path}/model.py:f"
        [inputs.a]
        interval = [1.0, 2.0]
        [inputs.b]
        interval = [0.0, 1.0]
        [inputs.c]
        value = 20
        unit = "cm"
        [outputs]
        include = ["s"]
        [method]
        type = "chebyshev"
        degree = 3
        [campaign]
        workers = 0
    """
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "study.toml").write_text("\n".join(line.strip() for line in text.splitlines()))
    for words in (
        ("check", "study.toml"),
        ("run", "study.toml", "--out", "r"),
        ("resume", "r"),
        ("watch", "r"),
        ("verify", "r"),
        ("show", "r"),
    ):
        code, said = uqmbd(*words)
        assert code == 0, (words, said)
    code, said = uqmbd("replay", "r", "--worst", "s")
    assert code == 0 and "c = 20 cm" in said and "upper bound 4, now 4" in said, said
    result = uq.open_results(tmp_path / "r")
    assert result.bounds["s"].values == pytest.approx([1.2, 4.0], abs=1e-9)
    assert (result.facts.inputs["c"].kind, result.facts.inputs["c"].text) == ("fixed", "20 cm")
    assert "for all values of a and b, with c = 20 cm held fixed" in " ".join(summary_of(result, {}).sentences)
    assert list(result.worst["s"]["input"].values) == ["a", "b"]
    assert result.extreme_runs["s"].attrs["inputs"]["upper"]["c"] == 0.2
    assert so_far(Study.from_file(tmp_path / "r" / "study.toml"), tmp_path / "r").result.bounds["s"].equals(result.bounds["s"])


def test_histories_that_are_not_kept(tmp_path):
    settings = dict(outputs=["h"], time=uq.TimeGrid(end=2.0, points=4), method=uq.MonteCarlo(samples=40))
    uncertain, found = {"a": uq.Uniform(1.0, 2.0)}, []
    for store in ("all", "scalars"):
        inputs = {"c": uq.Fixed(0.5)} | uncertain
        model = Study(model=lambda a, c, time: {"h": a * time + c}, inputs=inputs, campaign={"workers": 0, "store": store}, **settings)
        found.append(model.run(out=tmp_path / store, progress=False, report=False).statistics["h"])
    assert found[0].equals(found[1])


def test_mistakes_are_said():
    with pytest.raises(StudyError, match="at least one input that is not held fixed"):
        Study(model=lambda a: {"y": a}, inputs={"a": uq.Fixed(1.0)}, outputs=["y"], method=uq.Vertex())
    with pytest.raises(StudyError, match=r"write value = 0\.1"):
        read_input({"value": "0.1"})
    with pytest.raises(StudyError, match="is written value = 2"):
        uq.Interval(2.0, 2.0)
    pair = [["a", "b", 0.5]]
    with pytest.raises(StudyError, match="of kind fixed"):
        Study(
            model=lambda a, b: {"y": a}, inputs={"a": uq.Interval(0.0, 1.0), "b": uq.Fixed(1.0)}, outputs=["y"], method=uq.ConvexBounds(),
            sets={"s": {"inputs": ["a", "b"], "correlation": pair}},
        )  # fmt: skip
    assert len(METHODS) > 10
