"""Progress in a notebook, with a stand-in for IPython, which is no dependency."""

import sys
import types

import pytest

import uqmbd as uq
from uqmbd.campaign import progress


class Page:
    """The cells of a notebook: what is displayed, in its place."""

    def __init__(self):
        self.shown = []

    def display(self, thing, display_id):
        assert display_id is True
        self.shown.append([thing])
        return types.SimpleNamespace(update=self.shown[-1].append)


@pytest.fixture
def notebook(monkeypatch):
    page = Page()
    display = types.ModuleType("IPython.display")
    display.HTML, display.display = str, page.display
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    ipython.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return page


def study(**more):
    def model(a):
        if a > 1.9:
            raise ValueError("too large")
        return {"y": a}

    method = uq.Vertex() if not more else uq.MonteCarlo(samples=20, **more)
    inputs = {"a": uq.Interval(1.0, 1.5)} if not more else {"a": uq.Uniform(1.0, 2.0)}
    return uq.Study(model=model, inputs=inputs, outputs=["y"], method=method, campaign={"workers": 0}, name="growing")


def test_a_study_has_one_bar_that_ends_full(notebook, tmp_path, capsys):
    study(max_failed=1.0).run(out=tmp_path)
    (bar,) = notebook.shown
    assert 'value="20" max="20"' in bar[-1] and "20/20 runs" in bar[-1] and " failed" in bar[-1] and "growing" in bar[-1]
    assert "runs/s" not in capsys.readouterr().err  # no lines besides


def test_nothing_is_shown_if_nothing_is_wanted(notebook, tmp_path):
    study().run(out=tmp_path, progress=False)
    assert notebook.shown == []


def test_a_bar_is_drawn_five_times_a_second_at_most(notebook, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    bar = progress.NotebookBar("<study>", sys.modules["IPython.display"])
    bar.asked(10_000)
    for run in range(9_999):
        clock[0] = run / 1000
        bar.done(1, 0)
    drawn = notebook.shown[0]
    assert 45 <= len(drawn) <= 51 and "&lt;study&gt;" in drawn[0]
    bar.done(1, 0)
    assert 'value="10000" max="10000"' in drawn[-1]


def test_ipython_on_a_terminal_is_a_terminal(notebook, monkeypatch):
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: object())
    assert progress.notebook_display() is None
