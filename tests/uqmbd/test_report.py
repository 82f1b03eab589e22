"""The report: what figures say about a made-up result, and what the page holds."""

import html
import json
import re

import numpy as np
import pytest
import xarray as xr

import uqmbd as uq
from flexmbd_uq.orbits import orbit_figures
from uqmbd import figures
from uqmbd.facts import FailureNote
from uqmbd.figures import samples
from uqmbd.figures.colors import DARK, LIGHT
from uqmbd.figures.marks import Band, Bars, Curve, Level
from uqmbd.methods.failures import left_out
from uqmbd.report import write_report
from uqmbd.report.page import POLICY
from uqmbd.report.pages import unpacked
from uqmbd.report.summary import summary_of
from uqmbd.result import Result
from uqmbd.tables.text import outputs_table
from uqmbd.tables.trust import percent, trust_of

from . import made_up_mechanism, made_up_results


def labels(figure, kind=(Curve, Band, Bars, Level)) -> list[str]:
    return [mark.label for panel in figure.panels for mark in panel.marks if isinstance(mark, kind)]


def test_history_shows_bounds_runs_error_and_untrusted_times(bounded):
    figure = list(figures.history_figures(bounded, ["slider.x", "B.force"]))[1]
    assert labels(figure)[:4] == ["runs", "outer bounds", "reached by runs", "reached by runs"]
    assert [panel.y_label for panel in figure.panels] == ["B.force [N]", "error [N]", "sensitivity"]
    assert figure.panels[1].log
    assert [pytest.approx(end, abs=1e-4) for _, end in figure.panels[0].shades] == [0.00552, 0.024]
    assert "lost for good at 0.02 s" in figure.caption[0] and "widened by that" in figure.caption[0]


def test_history_of_monte_carlo_shows_mean_and_quantiles(counted):
    figure = figures.history_figure(counted, "B.ex")
    assert labels(figure, Band) == ["5 % to 95 %", "25 % to 75 %", "95 % confidence of the mean"]
    assert "mean" in labels(figure, Curve) and figure.panels[0].shades == ()


def test_a_narrow_band_is_shown_once_more_without_its_middle(bounded):
    runs = bounded.runs["slider.x"].values[:3]
    lines = [(bounded.runs["time"].values, run) for run in runs]
    whole, narrow, *_ = figures.history_figure(bounded, "slider.x", lines).panels
    band = next(mark for mark in narrow.marks if isinstance(mark, Band))
    assert np.allclose(band.lower, -band.upper) and band.upper.max() < 0.01 < np.ptp(whole.marks[0].upper)
    line = narrow.marks[0].y
    assert narrow.marks[0].label == "runs" and np.nanmax(np.abs(line)) < 1e-4 and np.isfinite(line).any()


def test_scalar_counts_good_runs_only(bounded, counted):
    figure = figures.scalar_figure(bounded, "B.force:max")
    assert figure.panels[0].marks[0].counts.sum() == 78
    assert labels(figure, Level).count("outer bounds (not trusted)") == 2 and figure.title == "B.force:max (not trusted)"
    assert "not a probability" in figure.caption[1]
    assert "mean" in labels(figures.scalar_figure(counted, "B.force:max"), Level)


def test_orbit_lies_in_its_clearance_circle(bounded):
    (figure,) = orbit_figures(bounded, list(made_up_mechanism.HISTORIES))
    ring, *drawn = [np.nanmax(np.hypot(mark.x, mark.y)) for mark in figure.panels[0].marks]
    assert figure.panels[0].equal and labels(figure)[0] == "clearance" and ring == pytest.approx(1)
    assert labels(figure)[1:3] == ["runs", "outermost place of the runs"] and 0.9 < max(drawn) <= 1 + 1e-12


def test_plot_gives_a_figure_of_histories_and_scalars(bounded):
    assert len(figures.plot(bounded, "B.ex").axes) == 3
    assert figures.plot(bounded, "B.force:max").axes[0].get_xlabel() == "B.force:max [N]"


def test_thinning_keeps_peaks_and_order():
    time = np.linspace(0, 1, 5001)
    values = np.where(np.arange(5001) == 3333, 1e6, np.sin(time))
    x, y = samples.thin(time, values, 100)
    assert len(x) <= 104 and y.max() == 1e6 and (np.diff(x) > 0).all()


def test_runs_drawn_are_spread_and_good():
    good = np.ones(1000, bool)
    good[:100] = False
    index = samples.choose(good, 60)
    assert len(index) == 60 and index.min() >= 100 and index.max() == 999 and good[index].all()
    assert np.array_equal(samples.choose(good[:120], 60), np.arange(100, 120))


def test_trust_in_words(bounded):
    bounded.trusted["slider.x"][:] = True
    assert trust_of(bounded, "slider.x").sentence() == "The bounds are trusted at all times."
    assert trust_of(bounded, "B.force:max").sentence().startswith("The bounds are not trusted:")
    bounded.trusted["slider.v"][:] = False
    assert trust_of(bounded, "slider.v").sentence().startswith("The bounds are trusted at no time")
    bounded.bounds = xr.Dataset()
    assert trust_of(bounded, "slider.x").sentence() == "The surrogate is trusted at all times."
    assert trust_of(bounded, "B.force:max").sentence() == "The surrogate is not trusted: its validated error exceeds the tolerance."
    assert "of the time" in trust_of(bounded, "B.ex").sentence() and "envelope" not in trust_of(bounded, "B.ex").sentence()
    assert (percent(0.9999), percent(0.0001), percent(1.0), percent(0.5)) == ("> 99.9 %", "< 0.1 %", "100 %", "50 %")


def test_the_page_begins_with_the_question_and_the_answer(bounded, tmp_path, monkeypatch):
    monkeypatch.setattr("uqmbd.figures.matplotlib_view.save", lambda *_: None)
    bounded.attrs |= {"title": "A crank", "description": "How hard does <it> hit?", "report": {"key": "slider.x"}}
    text = write_report(bounded, tmp_path).read_text()
    first = text[text.index("<h1>") : text.index("<nav ")]
    assert first.startswith("<h1>A crank</h1>") and "How hard does &lt;it&gt; hit?" in first
    assert re.search(r"slider\.x was seen between \S+ and \S+ mm at any time for 78 runs with values of clearance\.", first)
    assert re.search(r"Bounds are trusted for 0 of 1 numbers and 0 of 6 histories", first)
    assert "slider.x was between 70 and 170 mm at any time in the runs; bounds of" in first and "</b>: for " in first
    results = text[text.index('id="Results"') : text.index('id="Histories"')]
    assert 'data-figure="slider.x"' in first and text.count('data-figure="slider.x"') == 1, "the key figure stands here, and only here"
    assert "<li><span>B.<wbr>force<wbr></span>" in results


def test_the_answer_is_in_the_words_of_the_result():
    fuzzy, mixed, counted = made_up_results.fuzzy(), made_up_results.mixed(), made_up_results.rich(3)
    assert summary_of(fuzzy, {}).sentences[0].startswith("peak stays between 0 and 3")
    assert "its mean is between 0 and 1 m" in summary_of(mixed, {}).sentences[0]
    assert any("It depends most on" in text and "%" in text for text in summary_of(counted, {}).sentences)
    assert summary_of(Result(attrs={"study": "empty"}), {}).sentences == ()
    counted.sensitivity = counted.sensitivity.sel(kind=["mu", "mu_star", "sigma"])
    counted.aggregated = xr.Dataset()
    words = "It changes most with clearance, by 1 m, then with friction, by 0.5 m, on average over the range of the input (mu*)."
    assert words in summary_of(counted, {}).sentences
    counted.statistics = counted.statistics.sel(statistic=["mean"])
    counted.inner["peak"] = ("bound", [0.2, 1.5])
    counted.inner = counted.inner.assign_coords(bound=["lower", "upper"])
    assert summary_of(counted, {}).sentences[0] == "peak was between 0.2 and 1.5 m in 60 runs."


def test_quantiles_that_are_near_are_told_apart():
    """Of an energy of 17.8478 J that changes in its last digits."""
    result = made_up_results.rich(2, histories=())
    result.statistics["peak"] = 17.8478 + 1e-6 * result.statistics["peak"]
    sentence = next(words for words in summary_of(result, {}).sentences if "nine of ten" in words)
    low, high = re.search(r"between (\S+) and (\S+)", sentence).groups()
    assert float(low) < float(high)
    table = outputs_table(result)
    cells = dict(zip(table.header, table.rows[0], strict=True))
    assert float(cells["5 %"]) < float(cells["mean"]) < float(cells["95 %"])


def test_the_page_says_where_runs_fail(tmp_path):
    result = made_up_results.rich(2, histories=(), failed=5)
    result.sensitivity = result.interaction = result.convergence = result.cdf = xr.Dataset()
    text = write_report(result, tmp_path).read_text()
    assert text.index("5 of the 5 failed runs lie where clearance &gt;") > text.index('id="Failures"')


def test_page_follows_the_readers_colours_and_asks_no_network(tmp_path):
    text = write_report(made_up_results.fuzzy(), tmp_path).read_text()
    dark = text.index("prefers-color-scheme: dark")
    assert text.index(f"--paper: {LIGHT['paper']}") < dark < text.index(f"--paper: {DARK['paper']}")
    assert "body { margin: 0; color: var(--ink); background: var(--paper)" in text and 'data-theme="auto"' in text
    sources = re.findall(r'<script type="text/plain" data-figure="([^"]+)">(.*?)</script>', text, re.S)
    assert len(sources) == len(re.findall(r'<div id="[^"]+" class="plotly-graph-div" role="img" aria-label="[^"]{20,}"', text)) == 3
    for _, source in sources:
        layout = json.loads(unpacked(source))["layout"]
        colors = (layout["paper_bgcolor"], layout["font"]["color"], layout["xaxis"]["gridcolor"])
        assert colors == ("var(--paper)", "var(--ink)", "var(--grid)")
    assert "default-src 'none'" in POLICY and "http" not in POLICY and f'content="{POLICY}"'.replace("'", "&#39;") in text
    assert 'modeBarButtonsToRemove: ["sendChartToCloud"]' in text


@pytest.mark.slow
def test_page_of_twenty_histories_is_small(tmp_path, monkeypatch):
    monkeypatch.setattr("uqmbd.figures.matplotlib_view.save", lambda *_: None)
    monkeypatch.setattr(made_up_results, "TIME", np.linspace(0, 2, 1001))
    result = made_up_results.rich(8, tuple(f"body_{k}.x" for k in range(20)), runs=100)
    assert write_report(result, tmp_path).stat().st_size < 6e6


@pytest.mark.parametrize("case", ["bounded", "counted"])
def test_page_is_one_file_with_pictures_beside(case, request, tmp_path):
    page = write_report(request.getfixturevalue(case), tmp_path, study_text="[study]\nname = '<made up>'")
    text = page.read_text()
    assert page == tmp_path / "report.html" and page.stat().st_size < 4e6
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=.https?:", text)
    assert "[0.02, 0.05] mm" in text and "fell &lt;below&gt;" in text and "&lt;made up&gt;" in text
    assert len(list((tmp_path / "figures").glob("*.png"))) == {"bounded": 10, "counted": 9}[case]
    assert "2 of" in text and "runs failed" in text


@pytest.mark.parametrize(
    ("notes", "said"),
    [
        ([], ["3 of 60 runs failed (5 %); see Failures."]),
        (["the band is rough"], ["The band is rough.", "3 of 60 runs failed (5 %); see Failures."]),
        (
            [*left_out({"runs": 60, "runs_failed": 3}, " of the fit"), "the band is rough"],
            ["3 of 60 runs failed and are left out of the fit (5 %); see Failures.", "The band is rough."],
        ),
        (
            [FailureNote("The study stopped: of sixty runs three failed, most where k > 2.")],
            ["The study stopped: of sixty runs three failed, most where k > 2 (5 %); see Failures."],
        ),
        (
            ["in the fit before 3 of 60 runs failed"],
            ["In the fit before 3 of 60 runs failed.", "3 of 60 runs failed (5 %); see Failures."],
        ),
    ],
)
def test_failed_runs_are_counted_once(notes, said, tmp_path):
    result = Result(attrs={"study": "made up", "runs": 60, "runs_failed": 3, "notes": notes})
    assert result.facts.failures_note in ("", notes[0] if notes else "")
    text = write_report(result, tmp_path).read_text()
    _, *found = (html.unescape(found) for found in re.findall(r'<p class="warning">(.*?)</p>', text))  # the first is for no JavaScript
    assert found == said


def test_page_of_a_result_without_runs(tmp_path):
    result = Result(attrs={"study": "empty"})
    assert "No stored run failed" in write_report(result, tmp_path).read_text()


@pytest.mark.parametrize(("approach", "sure"), [("form", False), ("subset", True)])
def test_a_page_begins_with_the_probability_and_how_sure_it_is(approach, sure, tmp_path):
    method = uq.Reliability(output="y", above=3.5e-3, approach=approach)
    study = uq.Study(model=lambda a: {"y": (a, "m")}, inputs={"a": uq.Normal(2e-3, 1e-3)}, outputs=["y"], method=method)
    said = summary_of(study.run(out=tmp_path, workers=0, report=False), {}).sentences[0]
    limits = r"( \(95 % confidence limits ([\d.]+) and ([\d.]+)\))?"
    plane = "" if sure else r", by the plane through the design point \(FORM\), which has no confidence limits"
    found = re.fullmatch(rf"The probability that y is above 3\.5 mm is ([\d.]+){limits}{plane}\.", said)
    assert found, said
    assert float(found[1]) == pytest.approx(0.066807, rel=0.3 if sure else 1e-4) and bool(found[2]) == sure
    if sure:
        assert float(found[3]) < 0.066807 < float(found[4])
