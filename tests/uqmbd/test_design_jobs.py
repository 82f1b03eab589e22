"""What five design jobs met on the command line: words that misled, or were missing."""

import pickle

import pytest

from uqmbd.campaign.progress import Lines
from uqmbd.simulators.command import CommandFailed
from uqmbd.study.cost import size_said

BOLT = """
[study]
name = "bolt"
command = "{program} bolt.awk bolt.dat"
template = "case"

[inputs.torque]
interval = [22, 28]
unit = "N m"

[inputs.{name}]
interval = [0.08, 0.18]

[outputs]
include = ["preload"{more}]
units = {{ preload = "N"{units} }}

[method]
type = "vertex"

[campaign]
workers = 0
"""


def bolt(folder, *, program="sh", name="mu_head", more="", units="", thread=""):
    (folder / "case").mkdir()
    (folder / "case" / "bolt.dat").write_text(f"torque {{{{torque}}}}\nhead {{{{mu_head}}}}\n{thread}")
    (folder / "study.toml").write_text(BOLT.format(program=program, name=name, more=more, units=units))
    return folder / "study.toml"


def test_a_misspelt_input_is_looked_for_among_those_without_a_place(tmp_path, uqmbd):
    """`torque` and `mu_heat` are inputs; `mu_head` is nearer to an input that has its place already in a larger study."""
    study = bolt(tmp_path, name="mu_haed", thread="thread {{mu_thread}}\n")
    study.write_text(study.read_text() + "\n[inputs.mu_thread]\ninterval = [0.1, 0.2]\n")
    code, said = uqmbd("check", study)
    assert code == 2 and "has a place {{mu_head}}" in said and 'did you mean "mu_haed"?' in said, said


def test_a_program_that_is_not_there_has_a_remedy(tmp_path, uqmbd):
    code, said = uqmbd("check", bolt(tmp_path, program="no-such-program"))
    assert code == 2 and "cannot start no-such-program" in said, said
    assert "see that `no-such-program` starts in a terminal" in " ".join(said.split()) and "for which it works" not in said
    again = pickle.loads(pickle.dumps(CommandFailed("a", "b")))  # it comes from another process
    assert (str(again), again.remedy) == ("a", "b")


def test_a_unit_of_no_output_says_where_outputs_are_named(tmp_path, uqmbd):
    code, said = uqmbd("check", bolt(tmp_path, more=', "stres"', units=', stress = "Pa"'))
    assert code == 2 and "'stress' is none of outputs.include" in said and 'did you mean "stres"?' in said, said


def test_small_things_have_a_size():
    assert [size_said(size) for size in (0.0, 0.0121, 0.2, 0.96, 1234.0)] == ["1 kB", "12 kB", "200 kB", "1.0 MB", "1,234.0 MB"]


def test_no_time_is_promised_where_a_method_asks_for_more(monkeypatch, capsys):
    """A search that has 20 of its next 48 runs to do has not '1 s left': 1,000 more follow."""
    import uqmbd.campaign.progress as progress

    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    lines = Lines("press")
    for asked, second in ((100, 11.0), (148, 22.0), (196, 33.0)):
        lines.asked(asked)
        clock[0] = second
        lines.done(48, 0)
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "press: 48/100 runs, 4.36 runs/s, about 12 s left"
    assert told[1:] == ["press: 96/148 runs so far, 4.36 runs/s", "press: 144/196 runs so far, 4.36 runs/s"]


def test_run_says_the_notes_of_its_result_and_replay_the_units_of_the_study(tmp_path, uqmbd):
    (tmp_path / "model.py").write_text("import numpy as np\n\n\ndef bend(a, b):\n    return {'peak': (a + 1e-5 * b, 'm')}\n")
    (tmp_path / "a.csv").write_text("a\n1.0\n1.5\n2.0\n1.2\n1.7\n1.4\n")
    study = tmp_path / "study.toml"
    study.write_text(
        '[study]\nname = "bend"\nmodel = "model.py:bend"\n[inputs.a]\ndistribution = { data = "a.csv", column = "a" }\nunit = "mm"\n'
        '[inputs.b]\ndistribution = { type = "normal", mean = 0.1, std = 0.02 }\n[outputs]\ninclude = ["peak"]\n'
        '[method]\ntype = "montecarlo"\nsamples = 100\n[campaign]\nworkers = 0\n'
    )
    code, ran = uqmbd("run", study, "--no-report")
    words = " ".join(ran.split())
    assert code == 0 and "note: a is drawn from its 6 values as they are" in words, ran
    code, shown = uqmbd("show", "results/bend")
    assert code == 0 and shown.count("is drawn from its 6 values") == words.count("is drawn from its 6 values") == 1
    code, said = uqmbd("replay", "results/bend", "--worst", "peak")
    lines = said.splitlines()
    assert code == 0 and lines[0].startswith("peak: greatest run ") and " mm, now " in lines[0] and "SI" not in said, said
    assert lines[1].startswith("  a = ") and lines[1].endswith(" mm") and 1.0 <= float(lines[1].split()[2]) <= 2.0
    assert lines[2].startswith("  b = 0.") and lines[3].startswith("wrote ")


@pytest.mark.parametrize("approach", ["montecarlo", "importance"])
def test_a_probability_stands_between_both_of_its_limits(tmp_path, uqmbd, approach):
    name = "a_long_name.of.an_output.in_the_study_of_pulls"
    (tmp_path / "model.py").write_text(f"def pull(a, b):\n    return {{'{name}': a - b}}\n")
    study = tmp_path / "study.toml"
    study.write_text(
        f"""
[study]
name = "pull"
model = "model.py:pull"

[inputs.a]
distribution = {{ type = "normal", mean = 5, std = 1 }}

[inputs.b]
distribution = {{ type = "normal", mean = 3, std = 1 }}

[outputs]
include = ["{name}"]

[method]
type = "reliability"
approach = "{approach}"
output = "{name}"
below = 0.0
samples = 500

[campaign]
workers = 0
"""
    )
    code, said = uqmbd("run", study, "--no-report")
    assert code == 0, said
    header = next(line for line in said.splitlines() if line.strip().startswith("output"))
    assert "probability" in header and "95 % lower" in header and "95 % upper" in header, said
