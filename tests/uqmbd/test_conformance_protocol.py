"""What every method keeps to, whatever it computes: batches, interruption, seeds, numbers of runs, more samples."""

import json

import numpy as np
import pytest

from uqmbd.errors import StudyError
from uqmbd.methods import METHODS
from uqmbd.methods.base import BINDINGS
from uqmbd.outcomes import Axis, OutputInfo
from uqmbd.spec.tables import method_table
from uqmbd.spec.toml import write_toml

from .loop import drive, outcomes, part_of
from .loop import told as told_of
from .method_gallery import ALL, CASES, FREQUENCY, MOST, TIME, methods_and_approaches, of

OUTPUTS = {
    "s": OutputInfo("m", None), "h": OutputInfo("m"), "f": OutputInfo("m", Axis("frequency", FREQUENCY, "Hz")), "t": OutputInfo("m", None)
}  # fmt: skip


def numbers(result) -> dict[str, bytes]:
    """All that a result says, to the bit."""
    groups = {f"{key}/{name}": group[name].values.tobytes() for key, group in result.groups() for name in group.data_vars}
    return groups | {"attrs": json.dumps(result.attrs, sort_keys=True).encode()}


def failing(samples):
    """Some 4 % of the runs, by their own samples."""
    return np.modf(1e3 * sum(samples.values()))[0] < 0.04


def started(case, seed=1):
    return case.method.start(case.inputs, OUTPUTS, TIME, seed)


def outcome(case, part):
    status = failing(part).astype(np.int8)
    values = outcomes(case.model, TIME, part)
    for value in values.values():
        value[status != 0] = np.nan
    return part, values, status


def asked(run, size):
    """Batches of `size` runs until it has finished."""
    while (request := run.ask()) is not None:
        samples = told_of(request)
        n = len(next(iter(samples.values())))
        for i in range(0, n, size):
            yield part_of(samples, slice(i, i + size))


def same(one, other) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)


def test_every_method_and_approach_is_tried():
    assert {next(name for name in methods_and_approaches() if case.name.startswith(name)) for case in CASES} == methods_and_approaches()
    for method in {METHODS[case.method.name] for case in CASES}:
        spaces = [case.inputs for case in CASES if METHODS[case.method.name] is method]
        assert {item.kind for space in spaces for item in space.values()} == method.accepts
        treats = frozenset().union(*(case.method.treats for case in CASES if METHODS[case.method.name] is method))  # of all approaches
        assert {what for what in (*BINDINGS, "sampled", "joint") if any(getattr(space, what) for space in spaces)} == treats


def of_numpy(value):
    """Settings with numbers of numpy instead of Python's."""
    if isinstance(value, dict):
        return {key: of_numpy(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(of_numpy(each) for each in value)
    return value if isinstance(value, (bool, str)) or value is None else np.int32(value) if isinstance(value, int) else np.float64(value)


@ALL
def test_numbers_of_numpy_are_numbers(case):
    """A method made with them is written as one made with Python's."""
    made = case.with_(**of_numpy(dict(case.settings)))
    assert made == case.method and json.dumps(method_table(made)) == json.dumps(method_table(case.method))
    texts = [write_toml({"method": method_table(method)}) for method in (made, case.method)]
    assert texts[0] == texts[1] and repr(made) == repr(case.method)
    for key, value in case.settings.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            for no_number in (True, np.True_, np.bool_(False), np.array([value, value])):
                with pytest.raises(StudyError):
                    case.with_(**{key: no_number})


@ALL
def test_batches_do_not_change_the_result(case):
    one, seven, all_ = (drive(case.method, case.inputs, case.model, time=TIME, batch=size, fail=None) for size in (1, 7, 10**6))
    assert numbers(one[0]) == numbers(seven[0]) == numbers(all_[0]) and one[1] == seven[1] == all_[1]


@ALL
def test_what_reduce_keeps_is_enough(case):
    """A campaign that keeps only what `reduce` returns finds the same."""
    method = case.with_(max_failed=0.5)
    if method.reduce_key() is None:
        assert started(case).reduce is None
        return
    whole, reduced = (drive(method, case.inputs, case.model, time=TIME, batch=9, reduced=way, fail=failing) for way in (False, True))
    assert numbers(whole[0]) == numbers(reduced[0])


@MOST
def test_an_interrupted_run_goes_on_where_it_was(case):
    """Another run of the same method, told what the first one was told, asks for the same and ends with the same; so random numbers
    belong to the run, and not to the process."""
    told: list = []
    whole = finished(case, [], told)
    for known in {1, len(told) // 2, len(told)}:
        assert finished(case, told[:known], []) == whole


def finished(case, known, told, seed=1):
    """The result, or the error, of a run that is told the batches `known` first; all batches are added to `told`."""
    run = started(case, seed)
    try:
        for part in asked(run, 7):
            k = len(told)
            assert k >= len(known) or same(part, known[k][0])
            told.append(known[k] if k < len(known) else outcome(case, part))
            run.tell(*told[-1])
        return numbers(run.result())
    except StudyError as error:
        return str(error)


@ALL
def test_as_many_runs_as_planned(case):
    least, most = case.method.planned_runs(case.inputs)
    run = started(case)
    count = 0
    for part in asked(run, 10**6):
        n = len(part["a"])
        assert all(len(values) == n and np.isfinite(values).all() for values in part.values()) and set(part) == set(case.inputs)
        count += n
        run.tell(part, outcomes(case.model, TIME, part), np.zeros(n, np.int8))
    assert least <= count <= most and run.ask() is None
    attrs = run.result().attrs
    assert attrs["runs"] == attrs["runs_ok"] == count and attrs["runs_failed"] == 0 and attrs["method"] == case.method.name


RANDOM = "pce", "montecarlo", "sensitivity", "reliability-importance", "reliability-subset", "reliability-montecarlo", "mixed"


@of(*RANDOM, but=("sensitivity-derivative", "sensitivity-fast"))
def test_another_seed_is_another_sample(case):
    runs: list[list] = [[], [], []]
    for seed, told in zip((1, 1, 2), runs, strict=True):
        finished(case, [], told, seed)
    one, again, other = ([part for part, _, _ in told] for told in runs)
    assert all(map(same, one, again)) and not all(map(same, one, other))


def first_ask(method, case):
    return method.start(case.inputs, OUTPUTS, TIME, 1).ask()


@pytest.mark.parametrize("case", [pytest.param(each, id=each.name) for each in CASES if each.more])
def test_more_samples_extend_fewer(case):
    few, many = first_ask(case.method, case), first_ask(case.more, case)
    n = len(few["a"])
    assert len(many["a"]) > n and all(np.array_equal(few[name], many[name][:n]) for name in few)


@pytest.mark.parametrize("case", [pytest.param(each, id=each.name) for each in CASES if each.new])
def test_a_latin_hypercube_is_new_for_each_number(case):
    """As the reference says; so that it is no surprise that all runs are done again."""
    few, many = first_ask(case.method, case), first_ask(case.new, case)
    assert not np.isin(few["a"], many["a"]).any()
