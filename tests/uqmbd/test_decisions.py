"""What becomes of stored runs and results when a study is run in their folder, as a table: what is stored, what is said, what is done."""

from dataclasses import replace
from pathlib import Path

import pytest

from uqmbd.errors import StudyError
from uqmbd.runs.reader import FORMAT
from uqmbd.study.decision import Action, Done, Identity, Stored, check_overwrite, decide

REUSE, CONTINUE, DISCARD, REFUSE = Action.REUSE, Action.CONTINUE, Action.DISCARD, Action.REFUSE
RUNS = {"model": "a" * 64, "names or units of inputs": "k [N/m]", "time": "none", "solver settings": "s", "format of runs": "1"}
WANTED = Identity(
    runs=RUNS,
    result="question",
    parts={"MASS in model.py": "m" * 64},
    unknown="",
    outputs=("x", "y"),
    histories=True,
    precision="float64",
    timeout=10.0,
)
HEADER = {
    "format": FORMAT,
    "identity": RUNS,
    "notes": {"outputs": {"x": ["m", True], "y": ["", False]}, "model": {"MASS in model.py": "m" * 12}},
    "columns": [["input:k", "float64", 0, "N/m"], ["x", "float64", 9, "m"], ["y", "float64", 0, ""]],
}
HALF = Stored(Path("r"), HEADER)
DONE = Done("question", "a day", 0, 10.0)
WHOLE = replace(HALF, done=DONE)
STOPPED = replace(WHOLE, done=replace(DONE, timed_out=3))


def with_header(stored=WHOLE, **changes):
    return replace(stored, header={**HEADER, **changes})


def of_other(key):
    return with_header(identity={**RUNS, key: "other"})


OTHER_MODEL = with_header(identity={**RUNS, "model": "b" * 64}, notes={**HEADER["notes"], "model": {"MASS in model.py": "n" * 12}})
ROUNDED = with_header(columns=[["x", "float32", 9, "m"], ["y", "float64", 0, ""]])
DERIVED = with_header(notes={**HEADER["notes"], "derived": {"y": [["y", "2 * x:max"]]}})
NO_HISTORIES = with_header(columns=[["y", "float64", 0, ""]])
EARLIER = with_header(format=2)
FILES = replace(WHOLE, changed=("a.csv", "b.csv", "c.csv", "d.csv"))

TABLE = {
    # what is stored, overwrite, again: what is done
    "nothing": (WANTED, None, False, (), CONTINUE),
    "nothing, to be discarded": (WANTED, None, True, (), DISCARD),
    "nothing, discarded if changed": (WANTED, None, "if_changed", (), CONTINUE),
    "the same, finished": (WANTED, WHOLE, False, (), REUSE),
    "the same, finished, if changed": (WANTED, WHOLE, "if_changed", (), REUSE),
    "the same, to be discarded": (WANTED, WHOLE, True, (), DISCARD),
    "the same, failed runs again": (WANTED, WHOLE, False, ("timeout",), CONTINUE),
    "half done, or its mark damaged": (WANTED, HALF, False, (), CONTINUE),
    "half done, to be discarded": (WANTED, HALF, True, (), DISCARD),
    "half done, if changed": (WANTED, HALF, "if_changed", (), CONTINUE),
    "another question": (replace(WANTED, result="another"), WHOLE, False, (), CONTINUE),
    "another question, if changed": (replace(WANTED, result="another"), WHOLE, "if_changed", (), CONTINUE),
    "fewer outputs": (replace(WANTED, result="another", outputs=("y",)), WHOLE, False, (), CONTINUE),
    "runs stopped at this limit": (WANTED, STOPPED, False, (), REUSE),
    "runs stopped at a longer limit": (replace(WANTED, timeout=5.0), STOPPED, False, (), REUSE),
    "runs stopped at a shorter limit": (replace(WANTED, timeout=20.0), STOPPED, False, (), CONTINUE),
    "runs stopped, and no limit now": (replace(WANTED, timeout=None), STOPPED, False, (), CONTINUE),
    "a longer limit that stopped none": (replace(WANTED, timeout=20.0), WHOLE, False, (), REUSE),
    "another model": (WANTED, OTHER_MODEL, False, (), REFUSE),
    "another model, if changed": (WANTED, OTHER_MODEL, "if_changed", (), DISCARD),
    "another model, to be discarded": (WANTED, OTHER_MODEL, True, (), DISCARD),
    "another model, failed runs again": (WANTED, OTHER_MODEL, False, ("error",), REFUSE),
    "other inputs": (WANTED, of_other("names or units of inputs"), False, (), REFUSE),
    "other inputs, if changed": (WANTED, of_other("names or units of inputs"), "if_changed", (), DISCARD),
    "other times": (WANTED, of_other("time"), False, (), REFUSE),
    "runs that mean something else": (WANTED, of_other("format of runs"), False, (), REFUSE),
    "an earlier format": (WANTED, EARLIER, False, (), REFUSE),
    "an earlier format, if changed": (WANTED, EARLIER, "if_changed", (), DISCARD),
    "files that changed": (WANTED, FILES, False, (), REFUSE),
    "files that changed, if changed": (WANTED, FILES, "if_changed", (), DISCARD),
    "a model nobody can compare": (replace(WANTED, unknown="a socket"), WHOLE, False, (), REFUSE),
    "outputs that are not there": (replace(WANTED, outputs=("x", "z")), WHOLE, False, (), REFUSE),
    "histories that are not there": (WANTED, NO_HISTORIES, False, (), REFUSE),
    "histories that are not needed": (replace(WANTED, histories=False), NO_HISTORIES, False, (), REUSE),
    "derived by the same formula": (replace(WANTED, formulas={"y": "2 * x:max"}), DERIVED, False, (), REUSE),
    "derived by another formula": (replace(WANTED, formulas={"y": "3 * x:max"}), DERIVED, False, (), REFUSE),
    "formulas that only the runs have": (replace(WANTED, outputs=("x",), result="another"), DERIVED, False, (), CONTINUE),
    "rounded histories": (WANTED, ROUNDED, False, (), REFUSE),
    "histories rounded as wanted": (replace(WANTED, precision="float32"), ROUNDED, False, (), REUSE),
}
REASONS = {
    "another model": ("model: MASS in model.py", "--overwrite"),
    "other inputs": ("differs in: names or units of inputs", "--overwrite"),
    "an earlier format": ("another version of uqmbd", "--overwrite"),
    "files that changed": ("what the model reads: a.csv, b.csv, c.csv and 1 more", "--overwrite"),
    "a model nobody can compare": ("cannot be told: a socket", "reach no such thing"),
    "outputs that are not there": ("without the outputs z", "leave them out"),
    "histories that are not there": ("histories were not kept: x", "--overwrite"),
    "derived by another formula": ("in which 'y' was derived as 2 * x:max", "another name"),
    "rounded histories": ("rounded to float32", "campaign.precision"),
}


@pytest.mark.parametrize("name", TABLE)
def test_what_is_done(name):
    wanted, stored, overwrite, again, action = TABLE[name]
    found = decide(wanted, stored, overwrite, again=again)
    assert found.action is action
    assert (found.reason is not None) == (action is REFUSE or (action is DISCARD and overwrite == "if_changed"))
    assert found.date == ("a day" if action is REUSE else "")


@pytest.mark.parametrize("name", REASONS)
def test_why_stored_runs_are_not_used_and_what_to_do(name):
    wanted, stored, *_ = TABLE[name]
    why, (text, remedy) = decide(wanted, stored).reason, REASONS[name]
    assert text in why.message and remedy in why.remedy and str(why.file) == "r"


@pytest.mark.parametrize("overwrite", ["yes", "if-changed", None, 2])
def test_other_words_are_refused(overwrite):
    with pytest.raises(StudyError, match="True, False or 'if_changed'"):
        check_overwrite(overwrite)
