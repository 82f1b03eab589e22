"""`campaign.store` with every method: the same numbers whatever is kept, or a refusal before the first run; offsets cost no digits."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.inputs import Focal, Fuzzy, Interval, Random
from uqmbd.methods import METHODS
from uqmbd.methods.sensitivity import APPROACHES
from uqmbd.study.session import run_study

TIME = uq.TimeGrid(end=2.0, points=5)
WAY = np.arange(3.0)
BOX = {"a": Interval(1.0, 2.0), "b": Interval(0.0, 1.0)}
UNIFORM = {"a": Random({"type": "uniform", "lower": 1.0, "upper": 2.0}), "b": Random({"type": "uniform", "lower": 0.0, "upper": 1.0})}
TRIANGLE = Fuzzy({"type": "triangular", "lower": 1.0, "mode": 1.5, "upper": 2.0})
SAMPLES = {"samples": {"a": [1.0, 1.5, 2.0], "b": [0.0, 0.5, 1.0]}}


def of(kind, inputs, sets=None, **settings):
    """A method with inputs for it."""
    method = METHODS[kind](**settings)
    return pytest.param(method, inputs, sets or {}, id="-".join([kind, *(str(settings[key]) for key in ("approach",) if key in settings)]))


NEEDS = {
    "sobol": 16, "morris": 4, "fast": 65, "rbd_fast": 100, "delta": 50, "dgsm": 8, "pawn": 50, "hdmr": 300, "shapley": 16,
    "derivative": None,
}  # fmt: skip
EVERY = [
    of("chebyshev", BOX, degree=3, fallback_runs=20),
    of("montecarlo", UNIFORM, samples=40),
    of("multilevel", UNIFORM, control="steps", levels=[2, 4, 8], error=0.5, pilot=8, costs=[2, 4, 8]),  # measured ones differ
    of("multifidelity", UNIFORM, control="steps", fidelities=[8, 2], error=0.5, pilot=16, costs=[8, 2]),
    of("pce", UNIFORM, samples=40),
    of("taylor1", BOX, fallback_runs=20),
    of("taylor2", BOX, fallback_runs=20),
    of("vertex", BOX, fallback_runs=20),
    of("search", BOX, max_runs=300, fresh=40),
    of("fuzzy", BOX | {"a": TRIANGLE}, levels=3, degree=3, fallback_runs=20),
    of("convex", BOX, {"both": {"inputs": ["a", "b"], "correlation": [["a", "b", 0.5]]}}, degree=3, fallback_runs=20),
    of("mixed", UNIFORM | {"b": Interval(0.0, 1.0)}, samples=60),
    of("evidence", BOX | {"b": Focal({"intervals": [[0.0, 0.6], [0.4, 1.0]], "masses": [0.5, 0.5]})}, degree=3, fallback_runs=20),
    *(of("sensitivity", UNIFORM, approach=name, **({} if samples is None else {"samples": samples})) for name, samples in NEEDS.items()),
    of("sensitivity", BOX, approach="width"),
    *(of("reliability", UNIFORM, approach=name, output="s", above=2.9) for name in ("form", "sorm", "importance", "subset", "montecarlo")),
    of("reliability", BOX, approach="interval", output="s", above=3.5),
    of("grid", BOX, points=3),
    of("list", BOX, **SAMPLES),
    of("design", BOX, minimise="s", limits={"s": ">= 2"}, samples=0),
    of("tolerances", BOX, costs={"a": {"reciprocal": 1.0}}, limits={"s": "<= 2.6"}, degree=3),
    of("calibrate", BOX, scalars={"s": 1.7, "c": 2.0}),
    of("posterior", UNIFORM, scalars={"s": 1.7, "c": 2.0}, deviations={"s": 0.2, "c": 0.2}, walkers=8, max_steps=20),
]

OF_CURVES = [of("bifurcation", BOX, parameter="a", points=4), of("basins", BOX, cells=3)]  # whose section points are no scalars


def test_every_method_and_approach_is_tried():
    assert {case.values[0].name for case in EVERY + OF_CURVES} == set(METHODS)
    assert {case.values[0].approach for case in EVERY if case.values[0].name == "sensitivity"} == set(APPROACHES)


class Counted:
    """A history, a curve and scalars of two inputs, and how often they were asked for."""

    def __init__(self) -> None:
        self.runs = 0

    def model(self, a, b, time):
        self.runs += 1
        curve = uq.Curve(a * WAY + b * b, WAY, "way", unit="N", axis_unit="m")
        return {"h": 1.0 + a * np.sin(time) + b * b * time, "f": curve, "s": a + b**2, "c": a + b}

    def study(self, case, outputs, **campaign):
        method, inputs, sets = case
        outputs = [*outputs, "c"] if method.name in ("calibrate", "posterior") else outputs

        def model(a, b, time, steps=2):  # of which a method of levels gives the number
            return self.model(a, b, time)

        return uq.Study(
            model=model, inputs=inputs, sets=sets, outputs=outputs, method=method, time=TIME, campaign={"workers": 0, "seed": 4, **campaign}
        )


def numbers(result) -> dict[str, bytes]:
    groups = {f"{key}/{name}": group[name].values.tobytes() for key, group in result.groups() for name in group.data_vars}
    return groups | {name: result.runs[name].values.tobytes() for name in ("s", "status") if name in result.runs}


@pytest.mark.parametrize(("method", "inputs", "sets"), EVERY)
def test_scalars_alone_are_kept_either_way(method, inputs, sets, tmp_path):
    case = (method, inputs, sets)
    whole = Counted().study(case, ["s", "h:final"], store="all").run(out=tmp_path / "all")
    assert numbers(Counted().study(case, ["s", "h:final"], store="scalars").run(out=tmp_path / "scalars")) == numbers(whole)


@pytest.mark.usefixtures("tried_here")
@pytest.mark.parametrize(
    ("method", "words"),
    [
        (uq.PCE(samples=10**9), r"holds what all runs give: .* runs of 1,001 numbers are"),
        (uq.Search(max_runs=10**11, first_runs=10**10), r"the 100,000,000,000 runs for which search may ask, .* are"),
    ],
)
def test_more_than_the_memory_of_the_machine_is_refused_at_once(method, words, tmp_path):
    inputs = {"a": Interval(1.0, 2.0), "b": Interval(0.0, 1.0)}
    study = uq.Study(
        model=lambda a, b, time: {"h": a * time + b}, inputs=inputs, outputs=["h"], method=method, time=uq.TimeGrid(end=1.0, points=1001)
    )
    for asked in (study.check, lambda: study.run(out=tmp_path / "large", workers=0)):
        with pytest.raises(StudyError, match=words + r" [\d,]+ GB, and this machine has \d+"):
            asked()


@pytest.mark.parametrize(("method", "inputs", "sets"), EVERY + OF_CURVES)
def test_with_a_history_results_are_the_same_or_refused_at_once(method, inputs, sets, tmp_path):
    case, counted = (method, inputs, sets), Counted()
    study = counted.study(case, ["s", "h", "f"], store="scalars")
    if method.reduce_key() is not None:
        whole = Counted().study(case, ["s", "h", "f"], store="all").run(out=tmp_path / "all")
        assert numbers(study.run(out=tmp_path / "scalars")) == numbers(whole)
        return
    with pytest.raises(StudyError, match=r'campaign.store = "scalars".*(?s:.)*montecarlo'):
        study.run(out=tmp_path / "scalars")
    assert counted.runs <= 1  # the trial run
    assert not (tmp_path / "scalars").exists()


@pytest.mark.usefixtures("tried_here")
def test_check_refuses_the_same():
    """Of one method: it is the same for all, and starts a process each time."""
    study = Counted().study((METHODS["chebyshev"](degree=3), BOX, {}), ["s", "h", "f"], store="scalars")
    with pytest.raises(StudyError, match=r"needs the histories of all runs, and 'h'"):
        study.check()


# what histories are told as -------------------------------------------------------------------------------------------------------------
def waves(offset):
    def model(a, b, time):
        return {"h": offset + a * np.sin(time) + 0.1 * b * time}

    return model


def exact_std(time):
    return np.sqrt((np.sin(time) ** 2 + (0.1 * time) ** 2) / 12)


def exact_width(time, level=0.95):
    """Distance of the quantiles 1 - level and level of a sin t + 0.1 b t: the inverse of a trapezoidal distribution function."""
    wide, narrow = np.maximum(abs(np.sin(time)), 0.1 * time), np.minimum(abs(np.sin(time)), 0.1 * time)
    slope = wide * narrow
    tail = 1 - level
    start = np.where(tail <= narrow / (2 * wide), np.sqrt(2 * slope * tail), tail * wide + narrow / 2)
    return wide + narrow - 2 * start


METHODS_OF_STATISTICS = {
    "montecarlo": (uq.MonteCarlo(samples=2**14, design="sobol", history_runs=2**14), ("all", "scalars")),
    "pce": (uq.PCE(samples=60, max_degree=3), ("all",)),
    "sobol": (uq.Sensitivity(approach="sobol", samples=1024), ("all", "scalars")),
}


@pytest.mark.parametrize("offset", [1e6, 1e9])
@pytest.mark.parametrize("name", METHODS_OF_STATISTICS)
def test_an_offset_costs_no_digits(name, offset, tmp_path):
    method, stores = METHODS_OF_STATISTICS[name]
    inputs = {key: Random({"type": "uniform", "lower": 0.0, "upper": 1.0}) for key in "ab"}
    time = uq.TimeGrid(end=2.0, points=5).grid()[1:]
    found = []
    for store in stores:
        study = uq.Study(
            model=waves(offset), inputs=inputs, outputs=["h"], method=method, time=TIME, name="w", campaign={"workers": 0, "store": store}
        )
        h = study.run(out=tmp_path / store).statistics["h"].isel(time=slice(1, None))
        np.testing.assert_allclose(h.sel(statistic="std"), exact_std(time), rtol=1e-3)
        if "q95" in h.statistic:
            width = h.sel(statistic="q95") - h.sel(statistic="q05")
            np.testing.assert_allclose(width, exact_width(time), rtol=1e-3)
        found.append(h.values.tobytes())
    assert len(set(found)) == 1


def test_single_precision_is_a_choice_and_its_cost_is_said(tmp_path):
    inputs = {key: Random({"type": "uniform", "lower": 0.0, "upper": 1.0}) for key in "ab"}

    def cost(offset):
        study = uq.Study(
            model=waves(offset), inputs=inputs, outputs=["h"], method=uq.MonteCarlo(samples=200), time=TIME, name="w",
            campaign={"workers": 0, "precision": "float32"},
        )  # fmt: skip
        result = study.run(out=tmp_path / f"{offset:g}")
        return result.attrs["precision"], result.facts.note

    small, none = cost(0.0)
    assert "float32: rounding is up to" in small and "of 'h'" in small and none == ""
    large, note = cost(1e6)
    assert "of the spread" in large and 'precision = "float64"' in note
    assert "the same after rounding" in cost(1e9)[1]


# what a partial depends on --------------------------------------------------------------------------------------------------------------
def simulated(folder, **settings) -> tuple[int, dict[str, bytes]]:
    """How many runs a Monte Carlo study with `store = "scalars"` does, and its numbers."""
    inputs = {key: Random({"type": "uniform", "lower": 0.0, "upper": 1.0}) for key in "ab"}
    method = uq.MonteCarlo(**settings)
    study = uq.Study(
        model=partly_failing, inputs=inputs, outputs=["s", "h"], method=method, time=TIME, name="w",
        campaign={"workers": 0, "store": "scalars", "batch": 32},
    )  # fmt: skip
    finished = run_study(study, out=folder)
    return 0 if finished.tally is None else finished.tally.simulated, numbers(finished.result)


def partly_failing(a, b, time):
    if a > 0.99:
        raise ValueError("too much")
    return {"s": a + b, "h": a * time + b}


def test_settings_that_reduce_does_not_read_keep_partials(tmp_path):
    runs = [
        simulated(tmp_path / "r", samples=500)[0],
        simulated(tmp_path / "r", samples=500, max_failed=0.2)[0],
        simulated(tmp_path / "r", samples=600, max_failed=0.2)[0],
        simulated(tmp_path / "r", samples=700)[0],
    ]
    assert runs == [500, 0, 100, 100]
    assert simulated(tmp_path / "r", samples=700, max_failed=0.3)[1] == simulated(tmp_path / "fresh", samples=700, max_failed=0.3)[1]


def test_fewer_whole_histories_keep_partials_and_more_take_only_the_runs_that_lack_them(tmp_path):
    assert simulated(tmp_path / "r", samples=500, history_runs=100)[0] == 500
    fewer, found = simulated(tmp_path / "r", samples=500, history_runs=50)
    assert fewer == 0 and found == simulated(tmp_path / "fresh", samples=500, history_runs=50)[1]
    more, found = simulated(tmp_path / "r", samples=500, history_runs=200)
    assert 100 <= more <= 160 and found == simulated(tmp_path / "fresh2", samples=500, history_runs=200)[1]
    assert simulated(tmp_path / "r", samples=500, history_runs=200, max_failed=0.2)[0] == 0


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_in_a_second_pass_loses_nothing(moment, tmp_path, monkeypatch):
    """Just before and just after a commit: what the first pass committed is still there, and what the second one had done."""
    from uqmbd.runs.storage import Folder

    simulated(tmp_path / "r", samples=300, history_runs=10)
    left = [4]

    def killed(write):
        def written(folder, name, *parts):
            left[0] -= name.endswith(".runs")
            if left[0] < 0 and moment == "after":
                write(folder, name, *parts)
            if left[0] < 0:
                raise KeyboardInterrupt
            write(folder, name, *parts)

        return written

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        for how in ("put", "append"):
            patch.setattr(Folder, how, killed(getattr(Folder, how)))
        simulated(tmp_path / "r", samples=300, history_runs=300)
    assert simulated(tmp_path / "r", samples=300, history_runs=10)[0] == 0
    again, found = simulated(tmp_path / "r", samples=300, history_runs=300)
    assert again == 290 - 2 * (4 if moment == "before" else 5)  # 290 lack histories, a chunk is of two runs
    assert found == simulated(tmp_path / "fresh", samples=300, history_runs=300)[1]
