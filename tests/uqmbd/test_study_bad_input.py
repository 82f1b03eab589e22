"""Every mistake a user can make gives one message with file, key, value and remedy, code 2, and no traceback."""

import pytest

DISTRIBUTION = 'distribution = { type = "uniform", lower = 9.0, upper = 11.0 }'
FUZZY = 'fuzzy = { type = "triangular", lower = 9, mode = 12, upper = 11 }'
DATA = 'distribution = { data = "no.csv", column = "k" }'
DEPENDENCE = '[dependence]\nrank_correlation = [["{}", "{}", {}]]\n[outputs]'
SET = '[sets.s]\ninputs = ["k", "c"]\n[outputs]'
COVARIANCE = '[sets.s]\ninputs = ["d", "e"]\ncovariance = [[1, 0], [0, 1]]\ncenter = [0, 0]\nradius = 2\n[outputs]'

CASES = {
    # name: (replacements in the study, words the message must hold)
    "unknown section": ([("[campaign]", "[campagne]")], ["campagne", 'did you mean "campaign"']),
    "unknown key": ([("workers = 0", "wrokers = 0")], ["campaign.wrokers = 0", 'did you mean "workers"']),
    "unknown key of method": ([("samples = 40", "sample = 40")], ["method.sample", "sample", 'did you mean "samples"']),
    "unknown key of input": ([('unit = "N/m"', 'units = "N/m"')], ["inputs.k.units", "N/m", 'did you mean "unit"']),
    "unknown unit": ([('"N/m"', '"newtn/m"')], ["inputs.k.unit", "newtn/m", "remedy"]),
    "lower above upper": ([("lower = 9.0, upper = 11.0", "lower = 11.0, upper = 9.0")], ["inputs.k", "11", "9", "not below"]),
    "unknown distribution": ([('"uniform", lower = 9.0', '"unifrom", lower = 9.0')], ["inputs.k.distribution", "unifrom", "uniform"]),
    "unknown output": ([('"peak"', '"peek"')], ["outputs.include", "peek", 'did you mean "peak"']),
    "unknown reduction": ([('"x:rms"', '"x:rsm"')], ["outputs.include", "x:rsm", 'did you mean "rms"']),
    "output named twice": ([('"peak"', '"x"')], ["outputs.include", '"x"', "twice"]),
    "unknown method": ([('"montecarlo"', '"montecarlos"')], ["method.type", "montecarlos", 'did you mean "montecarlo"']),
    "method refuses input": ([('"montecarlo"\nsamples = 40', '"chebyshev"')], ["inputs.k", "chebyshev", "random", "montecarlo"]),
    "no such model file": ([("model.py:", "modle.py:")], ["study.model", "modle.py", 'did you mean "model.py"']),
    "no such function": ([(":oscillator", ":oscilator")], ["study.model", "oscilator", 'did you mean "oscillator"']),
    "no such module": ([("model.py:oscillator", "no_such_module:f")], ["study.model", "no_such_module", "remedy"]),
    "model without function": ([("model.py:oscillator", "model.py")], ["study.model", "model.py:function"]),
    "wrong type": ([("samples = 40", 'samples = "many"')], ["method.samples", "many"]),
    "negative": ([("samples = 40", "samples = -4")], ["method.samples", "-4"]),
    "negative end": ([("end = 2.0", "end = -2.0")], ["time.end", "-2.0"]),
    "not a number": ([("end = 2.0", "end = nan")], ["time.end", "nan"]),
    "missing section": ([('[method]\ntype = "montecarlo"\nsamples = 40', "")], ["method", "missing", "remedy"]),
    "missing key": ([("end = 2.0", "")], ["time.end", "missing"]),
    "not TOML": ([("end = 2.0", "end = = 2.0")], ["not TOML", "line"]),
    "solver setting for a function": ([("[campaign]", "[solver]\ntolerance = 1e-6\n[campaign]")], ["solver.tolerance", "1e-06", "remedy"]),
    "reduction without time": ([("[time]\nend = 2.0\npoints = 21\n", "")], ["outputs.include", "x:rms", "[time]"]),
    "fuzzy number out of order": ([(DISTRIBUTION, FUZZY)], ["inputs.k.fuzzy", "mode 12 is above upper 11", "ascending order"]),
    "fuzzy for montecarlo": ([(DISTRIBUTION, FUZZY.replace("12", "10"))], ["inputs.k", "cannot treat", "fuzzy", "methods that can: fuzzy"]),
    "no data file": ([(DISTRIBUTION, DATA)], ["inputs.k.distribution.data", "no.csv", "there is no file"]),
    "truncated to nothing": (
        [("upper = 11.0 }", "upper = 11.0, truncate = [12, 13] }")],
        ["inputs.k.distribution.truncate", "probability of 0"],
    ),
    "dependence on nobody": (
        [("[outputs]", DEPENDENCE.format("k", "d", 0.5))],
        ["dependence.rank_correlation", "no input 'd'", "use one of: c, k"],
    ),
    "perfect dependence": ([("[outputs]", DEPENDENCE.format("k", "c", -1))], ["dependence.rank_correlation", "between -1 and 1"]),
    "dependence is no table": ([("[study]", "dependence = 3\n[study]")], ["dependence = 3", "is a section"]),
    "unknown key of dependence": ([("[outputs]", "[dependence]\nrank = 1\n[outputs]")], ["dependence.rank = 1", "rank_correlation"]),
    "set over random inputs": ([("[outputs]", SET)], ["sets.s.inputs", "of kind random", "interval = [lower, upper]"]),
    "set is no table": ([("[outputs]", "[sets]\ns = 3\n[outputs]")], ["sets.s", "a set is a table", "remedy"]),
    "set for montecarlo": ([("[outputs]", COVARIANCE)], ["cannot treat", "convex", "inputs.d"]),
    "set and own entry": ([("[outputs]", COVARIANCE.replace('"d"', '"k"'))], ["inputs.k", "so does its own entry", "remove [inputs.k]"]),
    "name is a path": ([('name = "osc"', 'name = "../osc"')], ["study.name", "../osc", "remedy"]),
}

MODELS = {
    # name: (model, words)
    "raises": (
        "def oscillator(k, c, time):\n    raise RuntimeError('spring broken')\n",
        ["study.model", "spring broken", "model.py:2", "k="],
    ),
    "is NaN": (
        "def oscillator(k, c, time):\n    return {'x': time * float('nan'), 'peak': 1.0}\n",
        ["outputs.include", '"x"', "NaN", "21"],
    ),
    "wrong shape": ("def oscillator(k, c, time):\n    return {'x': time[1:], 'peak': 1.0}\n", ["outputs.include", "(20,)", "(21,)"]),
    "wrong arguments": ("def oscillator(stiffness, time):\n    return {}\n", ["study.model", "k", "by name: k, c"]),
    "does not parse": ("def oscillator(k, c time):\n", ["study.model", "SyntaxError"]),
    "text": ("def oscillator(k, c, time):\n    return {'x': time, 'peak': 'high'}\n", ["outputs.include", "peak", "not a real number"]),
}


def assert_clean(code, output, words):
    assert code == 2, output
    assert "Traceback" not in output
    assert output.count("error:") == 1, output
    for word in words:
        assert word in output, f"{word!r} is not in:\n{output}"


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("command", ["run", "check"])
def test_wrong_study(case, command, write_study, uqmbd):
    changes, words = CASES[case]
    code, output = uqmbd(command, write_study(*changes))
    assert_clean(code, output, [*words, "study.toml"])


@pytest.mark.parametrize("case", MODELS)
def test_wrong_model(case, write_study, uqmbd):
    model, words = MODELS[case]
    code, output = uqmbd("run", write_study(model=model))
    assert_clean(code, output, words)


def test_no_such_file(uqmbd, write_study):
    write_study()
    assert_clean(*uqmbd("run", "study.tmol"), ["study.tmol", 'did you mean "study.toml"'])


def test_a_directory_is_not_a_study(uqmbd, tmp_path):
    assert_clean(*uqmbd("run", tmp_path), ["directory", "study.toml"])


def test_binary_file(uqmbd, tmp_path):
    (tmp_path / "study.toml").write_bytes(b"\xff\xfe\x00[study]")
    assert_clean(*uqmbd("run", "study.toml"), ["study.toml", "cannot be read"])


def test_resume_of_nothing(uqmbd, tmp_path):
    assert_clean(*uqmbd("resume", tmp_path), ["no results", "remedy"])


def test_no_scheduler(uqmbd, write_study, monkeypatch):
    from uqmbd.campaign import cluster

    monkeypatch.setattr(cluster, "REACH", "1s")
    assert_clean(*uqmbd("run", write_study(), "--scheduler", "tcp://127.0.0.1:1"), ["--scheduler", "tcp://127.0.0.1:1", "remedy"])


def test_debug_shows_the_traceback(uqmbd, write_study, monkeypatch, capsys):
    import sys

    from uqmbd import cli
    from uqmbd.errors import StudyError

    monkeypatch.setattr(sys, "argv", ["uqmbd", "run", str(write_study(("[campaign]", "[campagne]"))), "--debug"])
    with pytest.raises(StudyError):
        cli.main()
