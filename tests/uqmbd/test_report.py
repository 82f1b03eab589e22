"""The report: what figures and tables say about a made-up result, and that the page works in a browser."""

import json
import re
import shutil
import subprocess
from io import StringIO

import numpy as np
import pytest
import xarray as xr
from rich.console import Console

from uqmbd import figures
from uqmbd.figures import samples
from uqmbd.figures.colors import DARK, LIGHT, rgb
from uqmbd.figures.marks import Band, Bars, Curve, Level
from uqmbd.figures.trust import percent, trust_of
from uqmbd.report import tables, terminal_table, write_report
from uqmbd.report.failures import failures_table, failures_where
from uqmbd.report.page import POLICY
from uqmbd.result import Result

from . import made_up_results

TIME = np.linspace(0.0, 0.024, 481)
HISTORIES = {"slider.x": "m", "slider.v": "m/s", "B.force": "N", "B.ex": "m", "B.ey": "m", "crank.moment": "N*m"}


def outputs_of_one_run(clearance: float, restitution: float) -> dict[str, np.ndarray | float]:
    """A made-up mechanism with spikes in its force."""
    phase = 523.6 * TIME
    force = 400 * np.abs(np.sin(phase)) + 3e4 * restitution * np.exp(-(((TIME - 0.004 - 20 * clearance) / 2e-5) ** 2))
    return {
        "slider.x": 0.12 + 0.05 * np.cos(phase) + clearance * np.sin(7 * phase),
        "slider.v": -26 * np.sin(phase) + 4e3 * clearance * np.cos(7 * phase) * restitution,
        "B.force": force,
        "B.ex": clearance * np.cos(5 * phase) * (1 - np.exp(-TIME / 5e-4)),
        "B.ey": clearance * np.sin(5 * phase) * (1 - np.exp(-TIME / 5e-4)),
        "crank.moment": 12 * np.sin(2 * phase) + 1e4 * clearance,
        "B.force:max": float(force.max()),
    }


def made_up_runs(count: int, failures: tuple[int, ...] = (3, 17)) -> xr.Dataset:
    rng = np.random.default_rng(1)
    inputs = {"clearance": rng.uniform(2e-5, 5e-5, count), "restitution": rng.uniform(0.45, 0.55, count)}
    every = [outputs_of_one_run(*values) for values in zip(*inputs.values(), strict=True)]
    runs = xr.Dataset(coords={"time": TIME})
    for name, values in inputs.items():
        runs[f"input:{name}"] = ("run", values)
    for name in every[0]:
        values = np.array([run[name] for run in every])
        values[list(failures)] = np.nan
        unit = HISTORIES.get(name.partition(":")[0])
        runs[name] = (("run", "time") if values.ndim == 2 else ("run",), values, {"unit": unit})
    runs["status"] = ("run", np.isin(np.arange(count), failures).astype(np.int8))
    runs["message"] = ("run", np.array(["step size fell <below> 1e-14 s" if bad else "" for bad in runs["status"].values], object))
    return runs


def empty_groups() -> dict[str, xr.Dataset]:
    groups = ("bounds", "inner", "error", "trusted", "trust_horizon", "statistics", "sensitivity", "runs")
    return {group: xr.Dataset() for group in groups}


def attributes(method: str, runs: xr.Dataset) -> dict:
    failed = int((runs["status"] != 0).sum())
    return {
        "study": "made_up_crank", "method": method, "settings": {"degree": 8}, "seed": 1, "wall_time": 3.21, "runs_simulated_last": 100,
        "runs": runs.sizes["run"], "runs_ok": runs.sizes["run"] - failed, "runs_failed": failed, "versions": {"python": "3.11"},
        "inputs": {"clearance": {"kind": "interval", "text": "[0.02, 0.05] mm"}}, "note": "2 runs are left out",
    }  # fmt: skip


@pytest.fixture
def bounded():
    """Like the result of a surrogate method: bounds, error and trust."""
    runs = made_up_runs(80)
    groups = empty_groups() | {"runs": runs}
    for name in [*HISTORIES, "B.force:max"]:
        inner = xr.concat([runs[name].min("run"), runs[name].max("run")], "bound").assign_coords(bound=["lower", "upper"])
        width = 0.02 * float(inner.max() - inner.min())
        unit = {"unit": runs[name].attrs["unit"]}
        groups["inner"][name] = inner.assign_attrs(unit)
        groups["bounds"][name] = (inner + xr.DataArray([-width, width], {"bound": ["lower", "upper"]})).assign_attrs(unit)
        if name in HISTORIES:
            error = 1e-4 * width * (1 + 1e4 * np.exp(-(((TIME - 0.005) / 3e-4) ** 2)))
            groups["error"][name] = ("time", error, unit)
            groups["trusted"][name] = (("time",), (error < 0.05 * width) & ~((name == "B.force") & (TIME > 0.02)))
            groups["trust_horizon"][name] = 0.02 if name == "B.force" else np.inf
            share = 0.5 + 0.4 * np.sin(300 * TIME)
            table = xr.DataArray(np.array([[share, 1 - share]]), dims=("kind", "input", "time"))
            groups["sensitivity"][name] = table.assign_coords(kind=["main_effect"], input=["clearance", "restitution"], time=TIME)
        else:
            groups["error"][name], groups["trusted"][name] = 0.3, False
    for group in ("error", "trusted", "bounds", "inner"):
        groups[group] = groups[group].assign_coords(time=TIME)
    return Result(**groups, attrs=attributes("chebyshev", runs))


@pytest.fixture
def counted():
    """Like the result of a Monte Carlo study: statistics only."""
    runs = made_up_runs(200)
    groups = empty_groups() | {"runs": runs}
    good = runs.isel(run=np.flatnonzero(runs["status"].values == 0))
    keys = ["mean", "std", "min", "max", "q05", "q25", "q50", "q75", "q95", "mean_lower", "mean_upper"]
    for name in [*HISTORIES, "B.force:max"]:
        values = good[name]
        half = 1.96 * values.std("run") / 14
        quantiles = [values.quantile(q / 100, "run").drop_vars("quantile") for q in (5, 25, 50, 75, 95)]
        mean = values.mean("run")
        every = [mean, values.std("run"), values.min("run"), values.max("run"), *quantiles, mean - half, mean + half]
        groups["statistics"][name] = xr.concat(every, "statistic").assign_coords(statistic=keys).assign_attrs(unit=runs[name].attrs["unit"])
    return Result(**groups, attrs=attributes("montecarlo", runs))


def labels(figure, kind=(Curve, Band, Bars, Level)) -> list[str]:
    return [mark.label for panel in figure.panels for mark in panel.marks if isinstance(mark, kind)]


def test_history_shows_bounds_runs_error_and_untrusted_times(bounded):
    figure = figures.history_figures(bounded, ["slider.x", "B.force"])[1]
    assert labels(figure)[:4] == ["runs", "outer bounds", "reached by runs", "reached by runs"]
    assert [panel.y_label for panel in figure.panels] == ["B.force [N]", "error [N]", "sensitivity"]
    assert figure.panels[1].log
    assert [pytest.approx(end, abs=1e-4) for _, end in figure.panels[0].shades] == [0.00552, 0.024]
    assert "lost for good at 0.02 s" in figure.caption[0] and "not an enclosure" in figure.caption[0]


def test_history_of_monte_carlo_shows_mean_and_quantiles(counted):
    figure = figures.history_figure(counted, "B.ex")
    assert labels(figure, Band) == ["5 % to 95 %", "25 % to 75 %", "95 % confidence of the mean"]
    assert "mean" in labels(figure, Curve) and figure.panels[0].shades == ()


def test_a_narrow_band_is_shown_once_more_without_its_middle(bounded):
    runs = bounded.runs["slider.x"].values[:3]
    whole, narrow, *_ = figures.history_figure(bounded, "slider.x", runs).panels
    band = next(mark for mark in narrow.marks if isinstance(mark, Band))
    assert np.allclose(band.lower, -band.upper) and band.upper.max() < 0.01 < np.ptp(whole.marks[0].upper)
    line = narrow.marks[0].y
    assert narrow.marks[0].label == "runs" and np.nanmax(np.abs(line)) < 1e-4 and np.isfinite(line).any()


def test_scalar_counts_good_runs_only(bounded, counted):
    figure = figures.scalar_figure(bounded, "B.force:max")
    assert figure.panels[0].marks[0].counts.sum() == 78
    assert labels(figure, Level).count("outer bounds") == 2
    assert "not a probability" in figure.caption[1]
    assert "mean" in labels(figures.scalar_figure(counted, "B.force:max"), Level)


def test_orbit_lies_in_its_clearance_circle(bounded):
    (figure,) = figures.orbit_figures(bounded, list(HISTORIES))
    limit = max(mark.x.max() for mark in figure.panels[0].marks if mark.style == "limit")
    drawn = [np.hypot(mark.x, mark.y).max() for mark in figure.panels[0].marks if mark.style != "limit"]
    assert figure.panels[0].equal and len(drawn) == 6 and max(drawn) <= limit


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


def test_terminal_table_is_compact(bounded, counted):
    for result in (bounded, counted):
        console = Console(width=140, record=True, file=StringIO())
        console.print(terminal_table(result))
        text = console.export_text()
        assert "B.force:max" in text and "N·m" in text and len(text.splitlines()) < 20


def test_where_runs_fail_is_said_in_the_units_of_the_user():
    result = made_up_results.rich(3, runs=100, failed=6)
    said = failures_where(result)
    limit = float(re.search(r"clearance > (\d+) mm", said)[1])
    values = np.sort(result.runs["input:clearance"].values)
    assert said.startswith("6 of the 6 failed runs lie where") and said.endswith("so do 0 of the 94 others.")
    assert 1000 * values[93] - 1 <= limit <= 1000 * values[94] + 1
    result.attrs["inputs"]["clearance"]["text"] = "[0, 1]"
    assert re.search(r"clearance > 0\.\d+ m;", failures_where(result))
    assert failures_where(made_up_results.rich(3, failed=2)) == "" and failures_where(Result()) == ""


def test_the_page_says_where_runs_fail(tmp_path):
    result = made_up_results.rich(2, histories=(), failed=5)
    result.sensitivity = result.interaction = result.convergence = result.cdf = xr.Dataset()
    text = write_report(result, tmp_path).read_text()
    assert text.index("5 of the 5 failed runs lie where clearance &gt;") > text.index('id="Failures"')


def test_tables_of_fuzzy_and_imprecise_results():
    fuzzy, mixed = tables.outputs_table(made_up_results.fuzzy()), tables.outputs_table(made_up_results.mixed())
    row = dict(zip(fuzzy.header, fuzzy.rows[0], strict=True))
    assert (row["lower"], row["upper"], row["core lower"], row["core upper"]) == ("0", "3", "1", "1")
    row = dict(zip(mixed.header, mixed.rows[0], strict=True))
    assert row["mean"] == "0 … 1" and row["95 %"] == "1.645 … 2.645"
    result = Result()
    words = ["probability", "beta", "probability_lower", "probability_upper"]
    result.statistics["peak"] = xr.DataArray([1e-3, 3.09, 5e-4, 2e-3], dims="statistic", coords={"statistic": words})
    assert tables.outputs_table(result).header == ("output", "unit", "probability", "beta")


def test_page_follows_the_readers_colours_and_asks_no_network(tmp_path):
    text = write_report(made_up_results.fuzzy(), tmp_path).read_text()
    dark = text.index("prefers-color-scheme: dark")
    assert text.index(f"--paper: {LIGHT['paper']}") < dark < text.index(f"--paper: {DARK['paper']}")
    assert "body { margin: 0; color: var(--ink); background: var(--paper)" in text and 'data-theme="auto"' in text
    sources = re.findall(r'<script type="application/json" data-figure="([^"]+)">(.*?)</script>', text, re.S)
    assert len(sources) == len(re.findall(r'<div id="[^"]+" class="plotly-graph-div" role="img" aria-label="[^"]{20,}"', text)) == 2
    for _, source in sources:
        layout = json.loads(source)["layout"]
        colors = (layout["paper_bgcolor"], layout["font"]["color"], layout["xaxis"]["gridcolor"])
        assert colors == ("var(--paper)", "var(--ink)", "var(--grid)")
    assert "default-src 'none'" in POLICY and "http" not in POLICY and f'content="{POLICY}"'.replace("'", "&#39;") in text
    assert 'modeBarButtonsToRemove: ["sendChartToCloud"]' in text


@pytest.mark.slow
def test_page_of_twenty_histories_is_small(tmp_path, monkeypatch):
    monkeypatch.setattr("uqmbd.figures.matplotlib_view.save", lambda *_: None)
    monkeypatch.setattr(made_up_results, "TIME", np.linspace(0, 2, 1001))
    result = made_up_results.rich(8, tuple(f"body_{k}.x" for k in range(20)), runs=100)
    assert write_report(result, tmp_path).stat().st_size < 10e6


def test_failures_are_listed_with_parameters(bounded):
    table = failures_table(bounded)
    assert [row[:2] for row in table.rows] == [("3", "diverged"), ("17", "diverged")]
    assert table.header[3:] == ("clearance", "restitution")


@pytest.mark.parametrize("case", ["bounded", "counted"])
def test_page_is_one_file_with_pictures_beside(case, request, tmp_path):
    page = write_report(request.getfixturevalue(case), tmp_path, study_text="[study]\nname = '<made up>'")
    text = page.read_text()
    assert page == tmp_path / "report.html" and page.stat().st_size < 8e6
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=.https?:", text)
    assert "[0.02, 0.05] mm" in text and "fell &lt;below&gt;" in text and "&lt;made up&gt;" in text
    assert len(list((tmp_path / "figures").glob("*.png"))) == 9
    assert "2 of" in text and "runs failed" in text


def test_page_of_a_result_without_runs(tmp_path):
    result = Result(attrs={"study": "empty"})
    assert "No stored run failed" in write_report(result, tmp_path).read_text()


def browse(page, profile) -> subprocess.CompletedProcess:
    """The page in chromium: what it is in the end (stdout), and what it said."""
    quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"]
    command = ["chromium", "--headless", "--no-sandbox", *quiet, "--disable-sync", f"--user-data-dir={profile}"]
    command += ["--virtual-time-budget=20000", "--enable-logging=stderr", "--dump-dom", page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=180, stdin=subprocess.DEVNULL)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="the browser test needs Debian's chromium: apt-get install chromium")
@pytest.mark.parametrize("case", ["bounded", "counted"])
def test_page_in_a_browser(case, request, tmp_path):
    page = write_report(request.getfixturevalue(case), tmp_path)
    done = browse(page, tmp_path / "profile")
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line and "WebGL" not in line]  # drawn by software here
    assert done.returncode == 0 and not said, said
    drawn = re.findall(r'<div id="[^"]+" class="plotly-graph-div js-plotly-plot"', done.stdout)
    assert len(drawn) == len(list((tmp_path / "figures").glob("*.png"))) == 9
    assert done.stdout.count('class="main-svg"') >= len(drawn)
    assert done.stdout.count('class="scatterlayer') >= len(drawn) and 'class="barlayer' in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="the browser test needs Debian's chromium: apt-get install chromium")
def test_the_button_changes_the_colours_of_figures(tmp_path):
    page = write_report(made_up_results.fuzzy(3), tmp_path)
    click = "<script>for (const _ of [1, 2]) document.getElementById('theme').click();</script></body>"
    page.write_text(page.read_text().replace("</body>", click))
    done = browse(page, tmp_path / "profile")
    assert 'data-theme="dark"' in done.stdout and ">colours: dark<" in done.stdout
    papers = set(re.findall(r'<svg class="main-svg"[^>]*style="background: ([^;]+);', done.stdout))
    assert papers == {f"rgb{rgb(DARK['paper'])}"}
    assert "rgb" + str(rgb(DARK["ink"])) in done.stdout and "rgb" + str(rgb(LIGHT["ink"])) not in done.stdout
