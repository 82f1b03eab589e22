"""Distributions by name: their parameters, and what makes them. The names and parameters are chaospy's.

It makes those of which it has both tails, to the bit as scipy has them; see docs/theory/dependence.md for the table of all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from uqmbd.inputs.univariate import Distribution, Foreign, Frozen, Kumaraswamy, Whole

Numbers = Mapping[str, float]
MOVED = {"scale": 1.0, "shift": 0.0}
CENTRED = {"mu": 0.0, "sigma": 1.0}
BETWEEN = {"lower": 0.0, "upper": 1.0}


@dataclass(frozen=True)
class Family:
    """A kind of distribution.

    Attributes
    ----------
    parameters : dict of str to (float or None)
        With what they are where nothing is said; None: must be given.
    build : callable
        From all of them.
    """

    parameters: Mapping[str, float | None]
    build: Callable[[Numbers], Distribution]


def frozen(name: str, shapes: tuple[float, ...] = (), loc: float = 0.0, scale: float = 1.0, *, low: str = "", high: str = "") -> Frozen:
    """A distribution of scipy; `low` and `high` name functions of `uqmbd.inputs.quantiles` that are better than scipy's quantiles."""
    from scipy import stats

    from uqmbd.inputs import quantiles

    better = [partial(getattr(quantiles, name), *shapes) if name else None for name in (low, high)]
    return Frozen(getattr(stats, name)(*shapes, loc=loc, scale=scale), loc, scale, *better)


def _of(name: str, shapes: Mapping[str, float | None] | None = None, place: Numbers = MOVED, *, low: str = "", high: str = "") -> Family:
    """A family of scipy with its shapes in scipy's order, and where it lies: by `MOVED`, `CENTRED` or `BETWEEN`."""
    shapes = shapes or {}

    def build(numbers: Numbers) -> Distribution:
        if place is BETWEEN:
            loc, scale = numbers["lower"], numbers["upper"] - numbers["lower"]
        else:
            loc, scale = (numbers["mu"], numbers["sigma"]) if place is CENTRED else (numbers["shift"], numbers["scale"])
        return frozen(name, tuple(numbers[shape] for shape in shapes), loc, scale, low=low, high=high)

    return Family({**shapes, **place}, build)


def _of_chaospy(name: str, parameters: Numbers) -> Family:
    """A family as chaospy has it."""

    def build(numbers: Numbers) -> Distribution:
        import chaospy

        return Foreign(getattr(chaospy, name)(**numbers))

    return Family(parameters, build)


def _arcsinus(n: Numbers) -> Distribution:
    return frozen("beta", (n["shape"], 1 - n["shape"]), n["lower"], n["upper"] - n["lower"])


def _chisquared(n: Numbers) -> Distribution:
    """Central unless said."""
    central = n["nc"] == 0
    return frozen("chi2" if central else "ncx2", (n["df"],) if central else (n["df"], n["nc"]), n["shift"], n["scale"])


def _f(n: Numbers) -> Distribution:
    if n["nc"] == 0:
        return frozen("f", (n["n"], n["m"]), n["shift"], n["scale"], high="f_high")
    return frozen("ncf", (n["n"], n["m"], n["nc"]), n["shift"], n["scale"])


def _folded_normal(n: Numbers) -> Distribution:
    """``|N(mu - shift, 1)| scale + shift``."""
    shapes = (abs(n["mu"] - n["shift"]),)
    return frozen("foldnorm", shapes, n["shift"], n["scale"], low="folded_normal_low", high="folded_normal_high")


def _hyperbolic_secant(n: Numbers) -> Distribution:
    """Of variance 1."""
    return frozen("hypsecant", (), n["shift"], n["scale"] * 2 / math.pi)


def _kumaraswamy(n: Numbers) -> Distribution:
    if min(n["alpha"], n["beta"]) <= 0 or n["lower"] >= n["upper"]:
        raise ValueError("alpha and beta are positive, and lower is below upper")
    return Kumaraswamy(n["alpha"], n["beta"], n["lower"], n["upper"])


def _log_uniform(n: Numbers) -> Distribution:
    """The ends are those of the logarithm."""
    return frozen("loguniform", (math.exp(n["lower"]), math.exp(n["upper"])), n["shift"], n["scale"])


def pert_shapes(lower: float, mode: float, upper: float, gamma: float) -> tuple[float, float]:
    """Of the beta distribution whose greatest density is at `mode`, the greater gamma the more (Vose, Risk Analysis, 2008)."""
    return 1 + gamma * (mode - lower) / (upper - lower), 1 + gamma * (upper - mode) / (upper - lower)


def _pert(n: Numbers) -> Distribution:
    if not n["lower"] <= n["mode"] <= n["upper"]:
        raise ValueError(f"mode {n['mode']:g} is outside [{n['lower']:g}, {n['upper']:g}]")
    return frozen("beta", pert_shapes(n["lower"], n["mode"], n["upper"], n["gamma"]), n["lower"], n["upper"] - n["lower"])


def _power_lognormal(n: Numbers) -> Distribution:
    return frozen(
        "powerlognorm", (n["shape"], n["sigma"]), n["shift"], n["scale"] * math.exp(n["mu"]), low="power_lognormal_low"
    )  # fmt: skip


def triangular(lower: float, mode: float, upper: float) -> Distribution:
    """Density rising to `mode` and falling from there."""
    if not lower <= mode <= upper:
        raise ValueError(f"{mode:g} is outside [{lower:g}, {upper:g}]")
    return frozen("triang", ((mode - lower) / (upper - lower),), lower, upper - lower)


def _truncated_normal(n: Numbers) -> Distribution:
    from uqmbd.inputs.truncation import Truncated

    return Truncated.of(frozen("norm", (), n["mu"], n["sigma"]), n["lower"], n["upper"])


def _whole_uniform(n: Numbers) -> Distribution:
    from scipy import stats

    first, last = round(n["lower"]), round(n["upper"])
    if first > last:
        raise ValueError(f"lower {first} is above upper {last}")
    return Whole.of(stats.randint(first, last + 1), first, last)


def binomial(size: float, prob: float) -> Distribution:
    """Number of successes."""
    from scipy import stats

    return Whole.of(stats.binom(int(size), prob), 0, int(size))


_ONE, _GIVEN = {"shape": 1.0}, {"shape": None}
FAMILIES: Mapping[str, Family] = {
    "alpha": _of("alpha", _ONE, high="alpha_high"),
    "anglit": _of_chaospy("Anglit", MOVED),
    "arcsinus": Family({"shape": 0.5, **BETWEEN}, _arcsinus),
    "beta": _of("beta", {"alpha": None, "beta": None}, BETWEEN),
    "bradford": _of("bradford", _ONE, BETWEEN),
    "burr": _of("burr12", {"alpha": 1.0, "kappa": 1.0}),
    "cauchy": _of("cauchy"),
    "chi": _of("chi", {"df": 1.0}),
    "chisquared": Family({"df": 1.0, "nc": 0.0, **MOVED}, _chisquared),
    "discreteuniform": Family({"lower": None, "upper": None}, _whole_uniform),
    "doublegamma": _of("dgamma", _ONE),
    "doubleweibull": _of("dweibull", _ONE),
    "exponential": _of("expon"),
    "exponentialpower": _of("exponpow", _ONE),
    "exponentialweibull": _of("exponweib", {"alpha": 1.0, "kappa": 1.0}),
    "f": Family({"n": 2.0, "m": 10.0, "nc": 0.0, **MOVED}, _f),
    "fatiguelife": _of("fatiguelife", _ONE),
    "fisk": _of("fisk", _ONE),
    "foldedcauchy": _of("foldcauchy", {"shape": 0.0}, low="folded_cauchy_low", high="folded_cauchy_high"),
    "foldednormal": Family({"mu": 0.0, **MOVED}, _folded_normal),
    "gamma": _of("gamma", _ONE),
    "generalizedexponential": _of("genexpon", {"a": 1.0, "b": 1.0, "c": 1.0}, low="generalized_exponential_low"),
    "generalizedextreme": _of("genextreme", {"shape": 0.0}),
    "generalizedgamma": _of("gengamma", {"shape1": None, "shape2": None}),
    "generalizedhalflogistic": _of("genhalflogistic", _GIVEN, low="half_logistic_low"),
    "gilbrat": Family(MOVED, lambda n: frozen("lognorm", (1.0,), n["shift"], n["scale"])),
    "gompertz": _of("gompertz", _GIVEN),
    "hyperbolicsecant": Family(MOVED, _hyperbolic_secant),
    "inversegamma": _of("invgamma", _GIVEN),
    "inversegaussian": _of("invgauss", {"mu": 1.0}),
    "inverseweibull": _of("invweibull", _ONE),
    "kumaraswamy": Family({"alpha": None, "beta": None, **BETWEEN}, _kumaraswamy),
    "laplace": _of("laplace", {}, CENTRED),
    "levy": _of("levy"),
    "loggamma": _of("loggamma", _ONE),
    "logistic": _of("genlogistic", {"skew": 1.0}, high="logistic_high"),
    "loglaplace": _of("loglaplace", _ONE),
    "loguniform": Family({**BETWEEN, **MOVED}, _log_uniform),
    "logweibull": _of("gumbel_r"),
    "maxwell": _of("maxwell"),
    "mielke": _of("mielke", {"kappa": 1.0, "expo": 1.0}, high="mielke_high"),
    "nakagami": _of("nakagami", _ONE),
    "pareto1": _of("pareto", _ONE),
    "pareto2": _of("lomax", _ONE),
    "pert": Family({"lower": None, "mode": None, "upper": None, "gamma": 4.0}, _pert),
    "powerlaw": _of("powerlaw", _ONE, BETWEEN),
    "powerlognormal": Family({"shape": 1.0, **CENTRED, **MOVED}, _power_lognormal),
    "powernormal": _of("powernorm", _ONE, CENTRED, low="power_normal_low"),
    "rayleigh": _of("rayleigh"),
    "reciprocal": Family(
        {"lower": None, "upper": None, **MOVED}, lambda n: frozen("loguniform", (n["lower"], n["upper"]), n["shift"], n["scale"])
    ),
    "reciprocalinversegaussian": _of(
        "recipinvgauss", {"mu": 1.0}, low="reciprocal_inverse_gaussian_low", high="reciprocal_inverse_gaussian_high"
    ),
    "studentt": _of("t", {"df": 1.0}, CENTRED),
    "triangle": Family({"lower": -1.0, "midpoint": 0.0, "upper": 1.0}, lambda n: triangular(n["lower"], n["midpoint"], n["upper"])),
    "truncexponential": Family(
        {"upper": 1.0, **MOVED}, lambda n: frozen("truncexpon", ((n["upper"] - n["shift"]) / n["scale"],), n["shift"], n["scale"])
    ),
    "truncnormal": Family({"lower": -math.inf, "upper": math.inf, **CENTRED}, _truncated_normal),
    "tukeylambda": _of("tukeylambda", _ONE, low="tukey_lambda_low", high="tukey_lambda_high"),
    "weibull": _of("weibull_min", _ONE),
    "wigner": _of_chaospy("Wigner", {"radius": 1.0, "shift": 0.0}),
    "wrappedcauchy": _of_chaospy("WrappedCauchy", {"shape": 0.5, **MOVED}),
}
# names that chaospy has for other distributions than the literature
AMBIGUOUS: Mapping[str, str] = {
    "frechet": 'chaospy has the Weibull distribution under this name: write "weibull" for that, or "inverseweibull" for Fréchet\'s',
    "wald": 'chaospy has the reciprocal of Wald\'s variable under this name: write "reciprocalinversegaussian" for that, or '
    '"inversegaussian" for Wald\'s',
}  # fmt: skip
