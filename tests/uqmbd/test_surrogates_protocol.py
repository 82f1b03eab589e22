"""Every surrogate with every region and every question: exact values, or a sentence that refuses.

The response ``y = a² + 2 b²`` on [0, 2] x [-1, 1] has closed forms for all of them.
"""

import numpy as np
import pytest

from uqmbd.errors import StudyError
from uqmbd.inputs import Focal, Fuzzy, Interval
from uqmbd.inputs.space import Space
from uqmbd.methods import PCE, Chebyshev, ConvexBounds, Evidence, FuzzyBounds, Taylor2, Vertex

from .loop import drive

TIME = np.linspace(0.0, 1.0, 3)
BOX = {"a": Interval(0.0, 2.0), "b": Interval(-1.0, 1.0)}
DISC = Space(BOX, sets={"both": {"inputs": ["a", "b"], "correlation": [["a", "b", 0.0]]}})
CUT = BOX | {"a": Fuzzy({"type": "triangular", "lower": 0.0, "mode": 1.0, "upper": 2.0})}
HALVES = BOX | {"a": Focal({"intervals": [[0.0, 1.0], [1.0, 2.0]], "masses": [0.5, 0.5]})}
KINDS = {
    "tensor": {"degree": 3},
    "sparse": {"grid": "sparse", "max_runs": 200},
    "split": {"split": True, "degree": 2, "max_runs": 400},
    "kriging": {"surrogate": "kriging", "samples": 40, "trust_tolerance": 1e-2},
}
NEAR = {"kriging": 0.05}  # of a range of 6; the others are exact


def model(time, a, b):
    y = a**2 + 2 * b**2
    return {"y": y, "h": y[:, None] * time}


def of(kind, method, inputs, **more):
    return drive(method(questions=["bounds", "indices", "width"], **KINDS[kind], **more), inputs, model, time=TIME)[0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_box(kind):
    """0 to 6; a² has the variance 64/45 and 2 b² 16/45; halved inputs leave 4 and 4.5 of the width 6."""
    result, near = of(kind, Chebyshev, BOX), NEAR.get(kind, 1e-3)
    assert result.bounds["y"].values == pytest.approx([0, 6], abs=near) and result.trusted["y"].item()
    assert result.bounds["h"].values[:, 2] == pytest.approx([0, 6], abs=near)
    table = result.sensitivity["y"]
    for order in ("first", "total"):
        assert table.sel(kind=order).values == pytest.approx([0.8, 0.2], abs=max(near, 3e-3))
    assert table.sel(kind="width_reduction").values == pytest.approx([1 / 3, 1 / 4], abs=near)


@pytest.mark.parametrize("kind", KINDS)
def test_an_ellipse(kind):
    """On (a - 1)² + b² <= 1 the response has its largest value where its gradient and that of the circle are parallel: a = 1 + 1 = 2 or
    a² + 2 (1 - (a - 1)²) = 4a - a², largest at a = 2, which is 4."""
    result = of(kind, ConvexBounds, DISC)
    assert result.bounds["y"].values == pytest.approx([0, 4], abs=NEAR.get(kind, 0.05 if kind == "split" else 1e-3))


@pytest.mark.parametrize("kind", KINDS)
def test_a_fuzzy_number(kind):
    """At the membership 0.5 a is in [0.5, 1.5]: 0.25 to 4.25; at 1 it is 1: 1 to 3."""
    result, near = of(kind, FuzzyBounds, CUT, levels=3), NEAR.get(kind, 1e-3)
    assert result.bounds["y"].values == pytest.approx(np.array([[0, 6], [0.25, 4.25], [1, 3]]), abs=near)


@pytest.mark.parametrize("kind", KINDS)
def test_focal_elements(kind):
    """Ranges 0 to 3 and 1 to 6, each with half of the mass: the mean is between 0.5 and 4.5."""
    result, near = of(kind, Evidence, HALVES), NEAR.get(kind, 1e-3)
    assert result.statistics["y"].sel(statistic="mean").values == pytest.approx([0.5, 4.5], abs=near)


@pytest.mark.parametrize(
    "method", [Taylor2(questions=["indices", "width"], fallback_runs=0), PCE(samples=60, degree=2, questions=["bounds", "width"])]
)
def test_polynomials_of_other_runs(method):
    result, _ = drive(method, BOX, model, time=TIME)
    assert result.bounds["y"].values == pytest.approx([0, 6], abs=1e-6)
    assert result.sensitivity["y"].sel(kind="first").values == pytest.approx([0.8, 0.2], abs=1e-6)
    assert result.sensitivity["y"].sel(kind="width_reduction").values == pytest.approx([1 / 3, 1 / 4], abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_kept_is_what_was_fitted(kind, tmp_path):
    from uqmbd.surrogates.opening import open_surrogate

    result, near = of(kind, Chebyshev, BOX), NEAR.get(kind, 1e-6)
    a, b = np.array([0.3, 1.7]), np.array([-0.4, 0.9])
    for name, last in (("y", ()), ("h", (2,))):
        kept = result.surrogate(name)
        again = open_surrogate(kept.save(tmp_path / f"{name}.json"))
        for surrogate in (kept, again):
            assert surrogate(a=a, b=b)[:, *last] == pytest.approx(a**2 + 2 * b**2, abs=near)
            slope = surrogate.gradient(a=a, b=b)
            assert slope["a"][:, *last] == pytest.approx(2 * a, abs=10 * near) and slope["b"][:, *last] == pytest.approx(
                4 * b, abs=10 * near
            )
            assert surrogate.bounds()[:, *last] == pytest.approx([0, 6], abs=near)
            assert surrogate.bounds(a=(0.5, 1.5), b=0.0)[:, *last] == pytest.approx([0.25, 2.25], abs=near)


def test_kriging_says_that_its_range_is_searched_for():
    result = of("kriging", Chebyshev, BOX)
    assert result.attrs["enclosure"] == "search" and "not verified" in result.facts.note
    assert set(result.attrs["lengths"]["y"]) == {"a", "b"}


def test_kriging_grows_until_its_tolerance_is_met():
    settings = {"surrogate": "kriging", "samples": 8, "tolerance": 1e-3, "max_runs": 200}
    bent = lambda time, a, b: {"y": np.sin(2 * a) * np.exp(b)}  # noqa: E731
    result, runs = drive(Chebyshev(**settings), BOX, bent)
    assert 20 < runs <= 200 and result.error["y"].item() < 1e-3 * np.ptp(result.bounds["y"].values)
    assert result.bounds["y"].values == pytest.approx([np.sin(4) * np.e, np.e], abs=0.02)


def test_failed_runs_are_left_out_and_said():
    method = Chebyshev(surrogate="kriging", samples=60, trust_tolerance=1e-2, max_failed=0.2)
    result, _ = drive(method, BOX, model, time=TIME, fail=lambda samples: (samples["a"] > 1.4) & (samples["b"] > 0.7))
    assert "runs at nodes failed; Kriging goes through the others" in result.facts.note


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"surrogate": "kriging", "degree": 3}, "leave out degree, grid and split"),
        ({"surrogate": "kriging", "split": True}, "leave out degree, grid and split"),
        ({"samples": 30}, 'write surrogate = "kriging"'),
        ({"surrogate": "kriging", "samples": 60, "max_runs": 50}, "60 samples for Kriging need 60 runs at nodes"),
    ],
)
def test_what_does_not_go_together_is_a_sentence(settings, words):
    with pytest.raises(StudyError, match=words):
        Chebyshev(**settings).start(BOX, {}, TIME, 1)


def test_corners_have_bounds_of_runs_and_no_surrogate_to_keep():
    result, _ = drive(Vertex(questions=["indices", "width"], fallback_runs=0), BOX, model, time=TIME)
    assert not result.surrogates.data_vars and "width_reduction" in result.sensitivity["kind"].values


def test_settings_that_name_no_surrogate_are_those_of_before():
    """So results of earlier studies are used; one that names Kriging says so, and comes back."""
    assert not {"surrogate", "samples"} & set(Chebyshev(degree=3).model_dump())
    said = FuzzyBounds(surrogate="kriging", samples=30).model_dump()
    assert (said["surrogate"], said["samples"]) == ("kriging", 30) and FuzzyBounds(**said).samples == 30


def test_a_kept_kriging_of_a_history_says_how_far_it_may_be_off():
    kept = of("kriging", Chebyshev, BOX).surrogate("h")
    spread = kept.std(a=np.array([0.5, 1.5]), b=0.2)
    assert spread.shape == (2, 3) and spread[:, 0].max() < 1e-9 and 0 < spread[:, 2].max() < 0.05
