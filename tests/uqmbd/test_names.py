"""Names of inputs, outputs, sets and methods are written and found again by every command, whatever letters they have."""

import json
import keyword
import tempfile
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.groups import DIMENSIONS
from uqmbd.spec.reading import value_at
from uqmbd.spec.toml import write_toml

printable = st.characters(exclude_categories=("C", "Z"), include_characters=" ")
inputs = st.text(st.characters(categories=("L", "Nd"), include_characters="_"), min_size=1, max_size=6).filter(
    lambda name: name.isidentifier() and not keyword.iskeyword(name) and name not in ("time", "b")
)
outputs = st.text(printable, min_size=1, max_size=8).filter(
    lambda name: not (set(name) & set(":/\\") or name.startswith((".", "-")) or not name.strip() or name in DIMENSIONS or name in TAKEN)
)
labels = st.text(st.characters(categories=("L", "Nd"), include_characters="_.-"), min_size=1, max_size=6).filter(
    lambda name: name[0].isalpha()
)
TAKEN = {"status", "message", "time", "run", "input", "partial"}
entries = st.dictionaries(st.text(printable), st.text(st.characters(codec="utf-8")))

STUDY = """
[study]
name = "names"
model = "model.py:model"
[inputs.{input}]
interval = [1.0, 2.0]
unit = "m"
[inputs.b]
interval = [0.0, 0.5]
[sets.{set}]
inputs = [{input}, "b"]
shape = "box"
correlation = [[{input}, "b", 0.0]]
[outputs]
include = [{output}]
units = {{ {output} = "N" }}
[method]
type = "convex"
degree = 2
[campaign]
workers = 0
"""


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def every_command(command, home: Path, name: str, output: str, of_set: str) -> None:
    """Run a study of these names, then all commands on it; its exact bounds are 1 and 3 all along."""
    (home / "model.py").write_text(f"def model({name}, b):\n    return {{{output!r}: {name} + 2 * b}}\n", encoding="utf-8")
    text = STUDY.format(input=quoted(name), output=quoted(output), set=quoted(of_set))
    (home / "study.toml").write_text(text, encoding="utf-8")

    def ok(*words) -> str:
        code, said = command(*words)
        assert code == 0, (words, said)
        return said

    r, m = home / "r", home / "m"
    ok("check", home / "study.toml")
    ok("outputs", home / "study.toml")
    ok("run", home / "study.toml", "--out", r)
    assert "reused" in ok("resume", r)
    (r / "done.json").unlink()
    assert "(0 simulated" in ok("resume", r)
    ok("retry", r)
    for words in (["watch"], ["show"], ["report"], ["verify"], ["list"]):
        ok(words[0], r)
    for file in ("f.csv", "f.nc"):
        ok("export", r, home / file)
    assert "upper bound 3 N, now 3 N" in ok("replay", r, "--worst", output)
    for part in ("1/2", "2/2"):
        ok("run", home / "study.toml", "--shard", part, "--out", home / part[0])
    ok("merge", m, home / "1", home / "2")
    assert "(0 simulated" in ok("resume", m)
    assert "0 of" in ok("compare", r, m)
    for folder in (r, m):
        bounds = uq.open_results(folder).bounds[output]
        assert bounds.values == pytest.approx([1.0, 3.0], abs=1e-12)
        assert set(uq.open_results(folder).runs.data_vars) >= {"input:b", output}


@pytest.mark.parametrize(
    "name, output, of_set",
    [("müR", "slider.x", "Δc"), ("κ", '"quoted" = 0.1 [N] #', "a.b'\""), ("\u00b5", "]", " "), ("mu\u0308R", "müR", "κ κ")],
)
def test_every_command_knows_the_names(uqmbd, tmp_path, name, output, of_set):
    every_command(uqmbd, tmp_path, name, output, of_set)


@pytest.mark.slow
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(name=inputs, output=outputs, of_set=st.text(printable, min_size=1, max_size=6))
def test_every_command_knows_any_names(uqmbd, name, output, of_set):
    with tempfile.TemporaryDirectory() as home:
        every_command(uqmbd, Path(home), name, output, of_set)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(printable, min_size=1), entries, min_size=1))
def test_what_is_written_is_what_is_read(table):
    assert tomllib.loads(write_toml({"inputs": table})) == {"inputs": table}


@settings(max_examples=2, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(label=labels)
@example(label="müR")
def test_methods_of_any_label(uqmbd, label):
    with tempfile.TemporaryDirectory() as home:
        place = Path(home, "r")
        study = uq.Study(
            model=lambda a: {"y": a},
            inputs={"a": uq.Interval(0.0, 1.0)},
            outputs=["y"],
            method={label: uq.Vertex(), label + "_2": uq.Chebyshev(degree=2)},
            campaign={"workers": 0},
        )
        study.run(out=place, progress=False, report=False)
        assert set(uq.open_each(place)) == {label, label + "_2"}
        assert uqmbd("show", place)[0] == 0


def test_two_names_that_python_reads_as_one_are_refused():
    pair = {"\u00b5": uq.Interval(0.0, 1.0), "\u03bc": uq.Interval(0.0, 1.0)}
    with pytest.raises(StudyError, match="reads two of the inputs' names"):
        uq.Study(model=lambda **given: {"y": 0.0}, inputs=pair, outputs=["y"], method=uq.Vertex())


@pytest.mark.parametrize("name", ["bound", "statistic", "case", "partial:max", "two\nlines", "\x1b[31m"])
def test_outputs_that_results_have_no_room_for_are_refused(name):
    with pytest.raises(StudyError, match="an output cannot have this name"):
        uq.Study(model=lambda a: {"y": a}, inputs={"a": uq.Interval(0.0, 1.0)}, outputs=[name], method=uq.Vertex())


def test_the_value_of_a_key_with_dots_is_found():
    document = {"outputs": {"units": {"slider.x:max": "mm"}}, "inputs": {"a": {"unit": "m"}}}
    assert value_at(document, "outputs.units.slider.x:max") == "mm"
    assert value_at(document, "inputs.a.unit") == "m"
    assert value_at(document, "outputs.units.slider") is None
