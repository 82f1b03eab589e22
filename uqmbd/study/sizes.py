"""Whether what a study asks for can be held in the memory of this machine, before anything is run."""

from __future__ import annotations

from operator import index

from uqmbd.errors import StudyError
from uqmbd.methods import Method
from uqmbd.plugins import blaming, nonsense
from uqmbd.processes import memory_there
from uqmbd.study.data import StudyData

ALWAYS_THERE = 2**30  # bytes that every machine has
PER_TIME = 64  # bytes of a time: a number in arrays and in a list, and its text in the head of the runs


def check_sizes(study: StudyData) -> None:
    """Raise `StudyError` when the times of a run, or the numbers of all runs, are more than the memory of this machine."""
    time = study.time
    for count in () if time is None else (lambda: time.points, lambda: time.points + len(study.further_times())):
        what = f"{count():,} points in time, as numbers and as text,"
        require(PER_TIME * count(), what, "time.points", count(), "take fewer: histories between them are smooth lines")
    for method in study.methods.values():
        least, most, fallback = planned(method, study)
        each = 8 * (len(study.inputs) + sum(":" in name or study.time is None for name in study.outputs))
        what = f"the {most:,} runs for which {method.name} may ask, their inputs and numbers,"
        late = fallback > least
        key, value = ("method.fallback_runs", fallback) if late else ("method", method.name)
        require(each * most, what, key, value, f"take fewer {'fallback ' if late else ''}runs")


def planned(method: Method, study: StudyData) -> tuple[int, int, int]:
    """Runs that a method asks for: at least, at most, and how many of these where the result is not trusted."""
    with blaming(type(method), "method", "method"):
        said, fallback = method.planned_runs(study.inputs.uncertain), method.fallback_most(study.inputs.uncertain)
    try:
        (least, most), fallback = map(index, said), index(fallback)
    except (TypeError, ValueError):
        raise nonsense(type(method), "method", "method", f"plans {said!r} runs", "let `planned_runs` return two whole numbers") from None
    return least, most, fallback


def require(size: int, what: str, key: str, value: object, remedy: str) -> None:
    """Raise `StudyError` when so many bytes are more than the memory."""
    if size > ALWAYS_THERE and size > (there := memory_there()):
        text = f"{what} are {size / 1e9:,.0f} GB, and this machine has {there / 1e9:,.0f}"
        raise StudyError(text, key=key, value=value, remedy=remedy)


def no_memory(error: MemoryError) -> StudyError:
    """What numpy or Python could not find room for, as a sentence."""
    said = " ".join(str(error).split())
    text = "there is not enough memory" + (f": {said[:1].lower()}{said[1:]}" if said else "")
    remedy = "take fewer runs, points in time or outputs, fewer --workers, or a machine with more memory"
    return StudyError(text, key="method", remedy=remedy)
