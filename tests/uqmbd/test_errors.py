"""The error of a study keeps its class, its fields and its text wherever a floor above adds what it knows."""

import copy
import pickle

import pytest

from uqmbd.errors import StudyError
from uqmbd.methods.failures import TooManyFailed
from uqmbd.runs.reader import Damaged


class Counted(StudyError):
    """One whose constructor takes something else, and that has a field of its own."""

    def __init__(self, count: int) -> None:
        super().__init__(f"{count} are too many", key="count", value=count)
        self.count = count


MADE = [StudyError("text", key="a"), TooManyFailed("text", remedy="none"), Damaged("text", file="f", value=3), Counted(7)]
WAYS = {
    "at": lambda error: error.at(file="study.toml"),
    "under": lambda error: error.under("section"),
    "pickle": lambda error: pickle.loads(pickle.dumps(error)),
    "copy": copy.copy,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("error", MADE, ids=lambda error: type(error).__name__)
def test_the_class_is_kept(error, way):
    again = WAYS[way](error)
    assert type(again) is type(error)
    assert again.args == error.args
    assert (again.message, again.remedy, again.value) == (error.message, error.remedy, error.value)
    assert getattr(again, "count", None) == getattr(error, "count", None)


def test_what_is_known_stays_and_what_lacks_is_filled_in():
    error = Damaged("text", key="a.b", value=1)
    more = error.at(file="f", key="other", value=2, remedy="r")
    assert (more.file, more.key, more.value, more.remedy) == ("f", "a.b", 1, "r")
    assert str(more) == "f: a.b = 1: text\n  remedy: r"
    assert str(error.under("section")) == "section.a.b = 1: text"
    assert str(error) == "a.b = 1: text"
