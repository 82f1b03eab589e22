"""The first screen: the question, the answer in two short sentences, whether it is trusted, and the figure that shows it."""

import re

import numpy as np
import pytest
import xarray as xr

import uqmbd as uq
from uqmbd import figures
from uqmbd.figures.key import key_figure
from uqmbd.figures.marks import Band, Bars, Curve, Level, Points
from uqmbd.report.page import _render
from uqmbd.report.summary import summary_of
from uqmbd.tables.numbers import between, brief
from uqmbd.tables.scaling import scale_of

from . import made_up_results
from .loop import drive
from .method_gallery import BOX, NAMED, TIME

LEAD = ("chebyshev-box", "chebyshev-jumping", "search-box", "fuzzy-triangular", "convex-ellipse", "evidence-focal", "taylor2-box",
        "vertex-box", "pce-uniform", "pce-jumping", "montecarlo-uniform", "mixed-interval", "sensitivity-sobol-random",
        "sensitivity-morris-box", "reliability-form-tailed", "reliability-montecarlo-tailed", "reliability-interval-box", "grid-box",
        "list-box", "calibrate-box", "tolerances-box", "design-moved")  # fmt: skip


def found(name):
    """The result of a case, with what a study says of itself."""
    case = NAMED[name]
    result, _ = drive(case.method, case.inputs, case.model, time=TIME)
    inputs = {key: {"kind": item.kind, "text": ""} for key, item in case.inputs.items()}
    result.attrs |= {"study": "made up", "method": case.method.name, "inputs": inputs, "settings": dict(case.settings)}
    return result


def ran(folder, method, inputs=BOX, model=None, outputs=("s",), **keys):
    """The same of a study, which has its runs."""

    def plain(a, b):
        return {"s": a + b**2 + 0.3 * a * b}

    study = uq.Study(model=model or plain, inputs=inputs, outputs=list(outputs), method=method, campaign={"workers": 0}, **keys)
    return study.run(out=folder, report=False, progress=False)


# numbers ----------------------------------------------------------------------------------------------------------------------------------
def test_a_range_has_three_digits_and_goes_outward():
    assert between(0.0137, 178.4321) == ("0", "179") and between(2.09999999, 4.0000000001) == ("2.1", "4")
    assert between(199.912, 200.087) == ("199.91", "200.09"), "two digits of the width, where that is more"
    assert between(-1.2345, 3.2149, outward=False) == ("-1.23", "3.21") and between(-1.2345, 3.2149) == ("-1.24", "3.22")
    assert between(1.2e-7, 3.21e-7) == ("1.2×10⁻⁷", "3.21×10⁻⁷") and between(0.0, 0.0) == ("0", "0") and between(1.0, 1.0) == ("1", "1")


@pytest.mark.parametrize("seed", range(20))
def test_no_bound_becomes_narrower_by_more_than_a_twentieth_of_its_last_digit(seed):
    lower, width = np.random.default_rng(seed).normal(size=2) * 10.0 ** np.random.default_rng(seed + 99).integers(-3, 4, 2)
    upper = lower + abs(width)
    low, high = map(float, between(lower, upper))
    step = abs(width)
    assert low - lower < 0.006 * max(abs(lower), abs(upper)) and upper - high < 0.006 * max(abs(lower), abs(upper))
    assert high - low < 1.5 * step + 0.03 * max(abs(lower), abs(upper))


def test_an_estimate_has_the_digits_that_its_limits_leave_it():
    assert brief(0.030217) == "0.0302" and brief(0.030217, 0.008) == "0.03" and brief(0.030217, 0.003) == "0.0302"
    assert brief(40.1523) == "40.2" and brief(0.0) == "0" and brief(12345678.0) == "1.23×10⁷" and brief(2.04e-5, 4e-6) == "2×10⁻⁵"


# words ------------------------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", LEAD)
def test_every_kind_of_method_has_a_question_two_sentences_a_judgement_and_a_figure(name):
    result = found(name)
    sections = figures.sections(result)
    lead = summary_of(result, sections)
    assert lead.question.endswith("?") and 1 <= len(lead.answer) <= 2, lead
    assert lead.judged is not None and lead.judged.why and lead.figure is not None
    for text in (*lead.answer, lead.judged.why):
        numbers = re.findall(r"(?<![\w.])-?\d+\.\d+", text)
        assert len(text) < 200 and "nan" not in text and all(len(one.lstrip("-0.").replace(".", "")) <= 5 for one in numbers), text
    text = _render(result, sections, {figure.key: figure.key for group in sections.values() for figure in group}, "")
    first = text[text.index("<header>") : text.index("</header>")]
    assert f'data-figure="{lead.figure.key}"' in first and text.count(f'data-figure="{lead.figure.key}"') == 1


def test_bounds_that_hold_and_bounds_that_do_not():
    smooth, jumping = summary_of(found("chebyshev-box"), {}), summary_of(found("chebyshev-jumping"), {})
    assert smooth.question == "Between which bounds does s stay for all values of a and b?"
    assert smooth.answer[0] == "s stays between 1.05 and 3.7 m." and smooth.judged.state == "yes"
    assert "is below the tolerance" in smooth.judged.why
    assert jumping.judged.state == "yes" and jumping.judged.why.endswith("3 other outputs are not, or not everywhere"), (
        "its key is one that is"
    )
    untrusted = found("chebyshev-box")
    untrusted.trusted["s"], untrusted.attrs["report"] = xr.DataArray(False), {"key": "s"}
    lead = summary_of(untrusted, {})
    assert lead.judged.state == "no" and lead.answer[0].startswith("s was between 1") and "are not trusted" in lead.answer[0]


def test_a_reduction_is_spoken_and_a_history_says_how_wide_its_band_is(tmp_path):
    def model(a, b, time):
        return {"x": 1e-6 * a * np.sin(time) + 0.02 * b}

    time, units = uq.TimeGrid(end=2.0, points=11), {"x": "m", "x:max": "m"}
    result = ran(tmp_path, uq.Search(max_runs=480, fresh=120), model=model, outputs=("x", "x:max"), time=time, units=units)
    lead = summary_of(result, {})
    assert lead.answer[0].startswith("The greatest x stays between") and lead.answer[0].endswith(" mm.")
    assert lead.answer[1].startswith("It is greatest at a = 2, b = 1; the nominal run has 10 mm")
    assert "none of" in lead.judged.why and "fresh runs left them by more than is allowed" in lead.judged.why
    result.attrs["report"] = {"key": "x"}
    answer = summary_of(result, {}).answer
    assert re.fullmatch(r"At any one time its band is at most 20 mm wide \(at \S+ s\)\.", answer[1]), answer


def test_a_probability_has_as_many_digits_as_it_deserves():
    lead = summary_of(found("reliability-montecarlo-tailed"), {})
    said = re.fullmatch(r"The probability that s is above 2\.2 m is about (\d+) %\.", lead.answer[0])
    assert said, lead.answer
    assert lead.question == "How probable is it that s is above 2.2 m?" and "(95 % confidence)" in lead.judged.why


def test_a_calibration_says_what_its_estimates_are_known_to():
    result = made_up_results.calibrated()
    result.attrs |= {"estimate_lower": {"k": 10.0}, "estimate_upper": {"k": 10.5}, "rms_residual": {"slider.x": 0.0115}}
    lead = summary_of(result, {})
    assert lead.answer[0] == "The model comes closest to the measurements at k = 10.2 (± 2.4 %)." or "k = 10.3" in lead.answer[0]
    assert "11.5 mm in slider.x" in lead.answer[1] and lead.judged.state == "yes" and "201 readings" in lead.judged.why
    result.attrs["starts"][0]["end"] = "stopped"
    assert summary_of(result, {}).judged.state == "no"


def test_sensitivities_begin_with_the_cause():
    lead = summary_of(found("sensitivity-sobol-random"), {})
    assert lead.question == "On which of its inputs does s depend most?" and lead.answer[0].startswith("s depends most on")
    assert "the indices are known to ±" in lead.judged.why


def test_derivatives_say_with_what_an_output_changes_fastest():
    assert re.fullmatch(
        r"s changes fastest with b \(\S+\), then with a \(\S+\), in the middle of the inputs\.",
        summary_of(found("sensitivity-derivative-box"), {}).answer[0],
    )


@pytest.mark.parametrize(("above", "said"), [(3.2, "Yes: in some runs s is above 3.2 m."), (3.8, "No: s is never above 3.8 m.")])
def test_whether_bounds_pass_a_limit(above, said):
    result = found("reliability-interval-box")
    result.attrs["settings"] |= {"above": above}
    result.attrs.pop("limit", None)
    lead = summary_of(result, {})
    assert lead.question == f"Can s be above {above} m?" and lead.answer[0] == said and lead.answer[1].startswith("s stays between")


def test_a_calibration_without_readings_left_over_is_not_judged():
    result = found("calibrate-box")
    lead = summary_of(result, figures.sections(result))
    assert lead.answer[1] == "It meets them all." and lead.judged.state == "unsaid" and lead.figure.key == "s"


def test_a_sample_says_how_well_it_knows_the_mean():
    lead = summary_of(found("montecarlo-uniform"), {})
    assert lead.question == "How is s distributed when a and b vary?" and re.match(
        r"s is \S+ m on average; nine of ten values lie", lead.answer[0]
    )
    assert re.search(r"40 random runs tell the mean to ± \d+ % of the scatter", lead.judged.why)


@pytest.mark.parametrize(
    ("limit", "said"),
    [(0.25, r"s is 1 in about (\d\d) % of all cases \(\d\d to \d\d %, with 95 % confidence\)\."), (-1.0, r"s is 1 in about (100) % .*")],
)
def test_of_what_is_so_or_not_the_share_is_said(tmp_path, limit, said):
    method, model = uq.MonteCarlo(samples=40), lambda a: {"s": 1.0 * (a > limit)}
    study = uq.Study(model=model, inputs={"a": uq.Uniform(0, 1)}, outputs=["s"], method=method, name="often")
    result = study.run(out=tmp_path, workers=0, report=False, progress=False)
    lead, held = summary_of(result, {}), int(result.runs["s"].values.sum())
    share = re.fullmatch(said, lead.answer[0])
    assert share is not None and abs(float(share[1]) - 100 * held / 40) < 1 and lead.answer[1] == f"It is in {held} of 40 runs."


def test_runs_at_chosen_values_are_no_distribution(tmp_path):
    result = ran(tmp_path, uq.Grid(points=4))
    lead = summary_of(result, figures.sections(result))
    assert lead.question == "What is s at chosen values of a and b?" and lead.answer[0] == "s was between 1 and 3.6 in 16 runs."
    assert lead.judged.label == "Not judged" and lead.figure.panels[0].bare


def test_a_probability_without_limits_has_two_digits():
    lead = summary_of(found("reliability-form-tailed"), {})
    digits = re.search(r"is about ([\d.]+)", lead.answer[0])[1]
    assert len(digits.replace(".", "").lstrip("0")) <= 2 and lead.judged.state == "unsaid"


# the figure -------------------------------------------------------------------------------------------------------------------------------
def test_bounds_of_a_number_are_a_bar_with_the_runs_at_its_ends_and_no_histogram():
    result = found("search-box")
    figure = key_figure(result)
    (panel,) = figure.panels
    assert panel.bare and not any(isinstance(mark, Bars) for mark in panel.marks)
    outer, inner = (mark for mark in panel.marks if isinstance(mark, Band))
    assert (outer.label, inner.label) == ("outer bounds", "reached by runs")
    assert outer.x[0] <= inner.x[0] < inner.x[1] <= outer.x[1]
    (runs,) = (mark for mark in panel.marks if isinstance(mark, Points))
    assert runs.names[0].startswith("lowest 1") and runs.x[[0, -1]].tolist() == inner.x.tolist()


def test_a_posterior_of_numbers_is_the_density_of_its_first_input():
    figure = key_figure(found("posterior-random"))
    assert figure.key == "a.marginal" and [mark.label for mark in figure.panels[0].marks] == [
        "after the measurements",
        "its density",
        "before",
    ]


def test_bounds_of_a_history_are_a_band_with_the_runs_that_reach_it(tmp_path):
    def model(a, b, time):
        return {"x": a * np.sin(time) + b}

    method, time = uq.Search(max_runs=200, fresh=60), uq.TimeGrid(end=2.0, points=11)
    figure = key_figure(ran(tmp_path, method, model=model, outputs=("x",), time=time))
    labels = [mark.label for mark in figure.panels[0].marks if isinstance(mark, (Band, Curve))]
    assert len(figure.panels) == 1 and labels == ["outer bounds", "nominal run", "run of the lowest value", "run of the highest value"]
    assert not any("middle" in text for text in figure.caption) and figure.caption[0].startswith(
        "The highest run, 3 at 1.6 s: a = 2, b = 1"
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [("montecarlo-uniform", Bars), ("reliability-montecarlo-tailed", Bars), ("mixed-interval", Band), ("reliability-subset-tailed", Band)],
)
def test_runs_are_bars_only_where_they_are_a_sample(name, kind, tmp_path):
    result = found(name) if kind is Band else ran(tmp_path, NAMED[name].method, NAMED[name].inputs)
    figure = key_figure(result)
    assert isinstance(figure.panels[0].marks[0], kind)
    if "reliability" in name:
        assert any(isinstance(mark, Level) for mark in figure.panels[0].marks)


@pytest.mark.parametrize("view", ["plotly", "matplotlib"])
def test_both_views_draw_an_interval_with_nothing_along_its_side(view):
    figure = key_figure(found("search-box"))
    if view == "plotly":
        from uqmbd.report import plotly_view

        drawn = plotly_view.draw(figure)
        assert drawn["layout"]["yaxis"]["showticklabels"] is False and drawn["layout"]["yaxis"]["range"] == [0, 1]
        low, high = drawn["layout"]["xaxis"]["range"]
        assert low < 1.0 and high > 3.3
    else:
        from uqmbd.figures import matplotlib_view

        (axis,) = matplotlib_view.draw(figure).axes
        assert not len(axis.get_yticks()) and axis.get_xlim()[0] < 1.0


# one unit ---------------------------------------------------------------------------------------------------------------------------------
def test_text_tables_and_figures_say_an_output_in_one_unit(bounded):
    """A force of 0.4 kN over most of the time, with peaks of 20 kN: its mean, its histogram and its history are in kN."""
    for name in ("B.force", "B.ex", "B.force:max"):
        within = scale_of(bounded, name)
        labels = {
            label
            for group in figures.sections(bounded).values()
            for figure in group
            for panel in figure.panels
            for label in (panel.x_label, panel.y_label)
            if label.startswith(f"{name} [")
        }
        assert labels == {f"{name} [{within.unit}]"}, (name, labels)
    (history,) = (figure for figure in figures.sections(bounded)["Histories"] if figure.key == "B.force")
    assert [panel.y_label for panel in history.panels][:2] == ["B.force [kN]", "error [kN]"], "powers of ten too"
    assert history.panels[1].marks[0].y.max() == pytest.approx(1e-3 * float(bounded.error["B.force"].max()))
    bounded.attrs["report"] = {"key": "B.force:max"}
    assert f"{scale_of(bounded, 'B.force:max').unit}" == "kN" and "kN" in summary_of(bounded, {}).answer[0]


def test_a_drive_of_random_inputs_is_judged_by_its_trust():
    jumping = found("pce-jumping")
    assert "s" in summary_of(jumping, {}).judged.why.partition(";")[2], "the key output is one that is trusted"
    jumping.attrs["report"] = {"key": "s"}
    good, bad = summary_of(found("pce-uniform"), {}), summary_of(jumping, {})
    assert good.judged.state == "yes" and bad.judged.state == "no" and "tolerance" in bad.judged.why
