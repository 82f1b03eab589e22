"""What limits of sensitivities promise: noise of distances, expansions that do not fit, outputs that do not disturb each other."""

import numpy as np
import pytest

from uqmbd.errors import StudyError
from uqmbd.inputs import Interval
from uqmbd.methods import Sensitivity

from .exact_distances import PAWN
from .loop import drive
from .sensitivity_models import ANGLES, PI, UNIT, ishigami, pick, sobol_g

PLAIN = {"a": Interval(0, 1), "b": Interval(0, 1)}


def nothing(time, a, b):
    return {"f": a + 0 * b}


def test_delta_shows_no_limits():
    """SALib's, of 20 resamples, held the exact delta of Ishigami's inputs (`exact_distances`) in 0 to 5 % of 40 seeds with 1,500 runs."""
    result, _ = drive(Sensitivity(approach="delta", samples=300, resamples=10), ANGLES, ishigami)
    assert result.sensitivity["kind"].values.tolist() == ["delta"] and "no confidence limits" in result.facts.note
    assert set(result.attrs["delta_without_influence"]) == {"f"} and "confidence" not in result.attrs
    with pytest.raises(StudyError, match="delta has no key 'confidence'"):
        Sensitivity(approach="delta", samples=300, confidence=0.9)


def test_an_input_without_influence():
    """Its exact distance is 0, which the limits hold although noise makes every estimate greater; that of the other is not 0."""
    held = 0
    for seed in range(20):
        result, _ = drive(Sensitivity(approach="pawn", samples=200, resamples=20), PLAIN, nothing, seed=seed)
        low, noise = pick(result, "pawn_lower"), result.attrs["pawn_without_influence"]
        held += low[1] == 0
        assert low[0] > 0.1 and 0 < noise < 0.5 * pick(result, "pawn")[0]
    assert held >= 18


def test_pawn_limits_hold_the_exact_distances():
    """On Ishigami, by quadrature."""
    held = np.zeros(3)
    for seed in range(20):
        result, _ = drive(Sensitivity(approach="pawn", samples=300, resamples=20), ANGLES, ishigami, seed=seed)
        held += (pick(result, "pawn_lower") <= PAWN) & (PAWN <= pick(result, "pawn_upper"))
    assert held.min() >= 18


@pytest.mark.parametrize("approach", ["delta", "hdmr", "pawn", "rbd_fast"])
def test_outputs_do_not_disturb_each_other(approach):
    """An output has the same sensitivities beside others, in another unit, and alone."""
    given = Sensitivity(approach=approach, samples=300, resamples=4, **({"degree": 1} if approach == "hdmr" else {}))

    def several(time, **x):
        f = ishigami(time, **x)["f"]
        return {"other": x["x1"], "f": f, "mm": 1000 * f}

    alone, _ = drive(given, ANGLES, ishigami)
    beside, _ = drive(given, ANGLES, several)
    for name in ("f", "mm"):
        assert beside.sensitivity[name].values == pytest.approx(alone.sensitivity["f"].values, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("harmonics", [1, 4, 10])
def test_rbd_fast_with_the_fewest_runs(harmonics):
    """4 a harmonic were taken before, half of which divided by zero; with a fifth of them failed limits are still numbers."""
    given = Sensitivity(approach="rbd_fast", samples=8 * harmonics, harmonics=harmonics, max_failed=0.3)
    for share in (0.0, 0.15):
        result, _ = drive(given, PLAIN, nothing, fail=lambda x, share=share: x["a"] < share)
        assert np.isfinite(result.sensitivity["f"].values).all() and (pick(result, "first_upper") < 10).all()
    with pytest.raises(StudyError, match=f"{harmonics} harmonics need {8 * harmonics} samples"):
        Sensitivity(approach="rbd_fast", samples=max(8 * harmonics - 1, 4), harmonics=harmonics)


def test_hdmr_says_what_it_does_not_explain():
    """Third degree misses most of 7 sin² x2 of Ishigami's function; what it holds is known from Legendre's polynomials."""
    result, _ = drive(Sensitivity(approach="hdmr", samples=1500, resamples=3), ANGLES, ishigami)
    z, weight = np.polynomial.legendre.leggauss(40)
    basis = np.polynomial.legendre.legvander(z, 3) * np.sqrt(2 * np.arange(4) + 1)
    x1, x2, x3 = (weight / 2 * f @ basis for f in (np.sin(PI * z), 7 * np.sin(PI * z) ** 2, 1 + 0.1 * (PI * z) ** 4))
    held = (np.outer(x1, x3) ** 2).sum() - (x1[0] * x3[0]) ** 2 + (x2[1:] ** 2).sum()
    assert result.attrs["explained_share"]["f"] == pytest.approx(held / 13.844587940719254, abs=0.04)
    assert "% of the variance of f; the rest is not in the indices" in result.facts.note
    fine, _ = drive(Sensitivity(approach="hdmr", samples=300, resamples=3, degree=2), PLAIN, nothing)
    assert not fine.facts.notes


def test_hdmr_with_more_terms_than_runs_bear():
    """600 runs, half of which each fit takes, for 276 terms: the indices of inputs without influence would be 0.13."""
    with pytest.raises(StudyError, match="276 terms of degree 3 in 8 inputs need 1380 runs") as error:
        drive(Sensitivity(approach="hdmr", samples=600), UNIT, sobol_g)
    assert error.value.key == "method.samples"
