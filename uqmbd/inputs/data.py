"""Distributions from a sample: its own quantiles, as they are or smoothed, a kernel estimate, or a family fitted by maximum likelihood."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.few_data import PREDICTED, predictive, smoothed
from uqmbd.inputs.table import Table, read_columns
from uqmbd.inputs.univariate import Distribution, Frozen, Tabulated

LEAST_ROWS = 5
FAMILIES = {  # scipy's name, whether its location is held at 0, symbol
    "normal": ("norm", False, "N"),
    "lognormal": ("lognorm", True, "LN"),
    "weibull": ("weibull_min", True, "Weibull"),
    "gamma": ("gamma", True, "Gamma"),
    "exponential": ("expon", True, "Exp"),
    "gumbel": ("gumbel_r", False, "Gumbel"),
    "logistic": ("logistic", False, "Logistic"),
    "uniform": ("uniform", False, "U"),
}
COMPARED = ("normal", "lognormal", "weibull", "gamma", "exponential", "gumbel", "logistic")  # by fit = "best"
FITS = ("empirical", "kde", "best", *FAMILIES)
KEYS = ("data", "column", "fit", "criterion", "smooth", "predictive", "truncate")
FEW = 30  # values, below which the far tails of a fit are little more than its family
MANY = 1000  # values with which a sample is as good as its distribution but for the far tails
GRID = 8193  # points of a kernel estimate's distribution function


@dataclass(frozen=True, eq=False)
class Fit:
    """A distribution from a sample.

    Attributes
    ----------
    variable : Distribution
    family : str
        ``empirical``, ``smoothed``, ``kde`` or one of `FAMILIES`.
    named : dict or None
        The distribution by type and parameters of the variable itself, for families that have them.
    text : str
        As ``N(1.02, 0.05)``.
    origin : str
        Column, file and number of values.
    ks : float
        Kolmogorov and Smirnov's distance between the sample and the fit; 0 for the sample's own quantiles. Tables of its
        significance do not hold for parameters that were fitted to the same sample.
    read : Table
        The column as it is in the file.
    count : int
        Number of values.
    ends : tuple of float
        Least and greatest value.
    narrow : float
        Standard deviation of the sample's own quantiles, as a share of the unbiased one of the values.
    predictive : bool
        How little the values tell of the parameters is in the distribution.
    """

    variable: Distribution
    family: str
    named: Mapping[str, Any] | None
    text: str
    origin: str
    ks: float
    read: Table
    count: int
    ends: tuple[float, float]
    narrow: float
    predictive: bool

    @property
    def digest(self) -> str:
        """Fingerprint of the sample."""
        return hashlib.sha256(self.read.values.tobytes()).hexdigest()

    def describe(self) -> str:
        """As ``fitted to k of rods.csv, 50 values, KS distance 0.080``."""
        return f"of {self.origin}" if self.family == "empirical" else f"fitted to {self.origin}, KS distance {self.ks:.3f}"

    def remark(self, name: str, unit: str) -> str:
        """What a reader has to know of the input `name` in `unit`; empty where that is nothing."""
        if self.family != "empirical":
            if self.predictive or self.count >= FEW:
                return ""
            own = f"the kernels around {self.count} values" if self.family in ("smoothed", "kde") else f"a fit to {self.count} values"
            fits = "" if self.family in PREDICTED else f" with a fit ({', '.join(PREDICTED)})"
            return f"{name} is {own}, whose far tails leave out how little so few values tell: write predictive = true{fits}"
        if self.count >= MANY:
            return ""
        ends = f"{self.ends[0]:.6g} and {self.ends[1]:.6g} {unit}".rstrip()
        return (
            f"{name} is drawn from its {self.count} values as they are: no run lies beyond {ends}, "
            f"and its standard deviation is {100 * self.narrow:.0f} % of that of the values; far quantiles and probabilities are those of "
            'the file: write smooth = true, or fit = "normal", say, with predictive = true for few values'
        )


def fit(table: Mapping[str, Any], read: Table | None = None) -> Fit:
    """The distribution that ``{ data = "file.csv", column = "k", fit = "normal" }`` describes; without its truncation.

    `read`: the column of the file, or what it is in other units, where it was read before.

    Raises
    ------
    StudyError
        With `key` relative to the input.
    """
    for key in table:
        if key not in KEYS:
            raise StudyError(f"a distribution from data has no key '{key}'", key=f"distribution.{key}", remedy=did_you_mean(key, KEYS))
    for key in ("data", "column"):
        if not isinstance(table.get(key), str):
            remedy = 'write { data = "file.csv", column = "k" }'
            raise StudyError(f"a distribution from data needs its {key}, a text", key=f"distribution.{key}", remedy=remedy)
    wanted, criterion = table.get("fit", "empirical"), table.get("criterion", "aic")
    smooth, predict = (_flag(table, key) for key in ("smooth", "predictive"))
    if smooth and wanted != "empirical":
        raise StudyError(
            f"smooth goes with the values themselves, not with fit = '{wanted}'", key="distribution.smooth", remedy="leave one of them out"
        )
    for key, value, known in (("fit", wanted, FITS), ("criterion", criterion, ("aic", "bic"))):
        if value not in known:
            raise StudyError(
                f"there is no {key} '{value}'", key=f"distribution.{key}", value=value, remedy=did_you_mean(str(value), known, noun=key)
            )
    try:
        read = read or read_columns(table["data"], [table["column"]], least=LEAST_ROWS)
    except StudyError as error:
        raise error.at(key="distribution.data") from None
    sample = np.sort(read.values[:, 0])
    if sample[0] == sample[-1]:
        raise StudyError(
            f"all values of the column '{table['column']}' are {sample[0]:g}", key="distribution.data", remedy="a known number is no input"
        )
    family, variable, named, text = _distribution_of(sample, wanted, criterion)
    if smooth:
        family, variable, text = "smoothed", smoothed(sample), "smoothed"
    if predict:
        variable, named, text = _predicted(sample, family), None, f"{text}, predictive"
    at = variable.cdf(sample)
    n = len(sample)
    ks = 0.0 if family == "empirical" else float(max(np.max(np.arange(1, n + 1) / n - at), np.max(at - np.arange(n) / n)))
    origin = f"{table['column']} of {read.name}, {n} values"
    ends = float(sample[0]), float(sample[-1])
    return Fit(variable, family, named, text, origin, ks, read, n, ends, _deviation(sample) / sample.std(ddof=1), predict)


def _deviation(sample: np.ndarray) -> float:
    """Standard deviation of the straight lines between sorted values."""
    a, b = np.array([sample[:-1], sample[1:]]) - sample.mean()
    return float(np.sqrt(((a**2 + a * b + b**2) / 3).mean() - ((a + b) / 2).mean() ** 2))


def _flag(table: Mapping[str, Any], key: str) -> bool:
    """A key that is true or false."""
    if not isinstance(value := table.get(key, False), bool):
        raise StudyError(f"{key} is true or false", key=f"distribution.{key}", value=value, remedy=f"write {key} = true, or leave it out")
    return value


def _predicted(sample: np.ndarray, family: str) -> Distribution:
    """Predictive distribution of a fitted family."""
    if family not in PREDICTED:
        fault = f"there is no predictive distribution of the fit '{family}'"
        raise StudyError(fault, key="distribution.predictive", value=True, remedy=f"take one of fit = {', '.join(PREDICTED)}")
    return predictive(sample, family)


def _distribution_of(sample: np.ndarray, wanted: str, criterion: str) -> tuple[str, Distribution, Mapping[str, Any] | None, str]:
    """Family, variable, its name with parameters, and notation."""
    if wanted == "empirical":
        return wanted, Tabulated(sample, np.linspace(0.0, 1.0, len(sample))), None, "empirical"
    if wanted == "kde":
        return wanted, _kernel_estimate(sample), None, "kernel estimate"
    if wanted != "best":
        return wanted, *_likeliest(sample, wanted)[1:]
    possible = [family for family in COMPARED if sample[0] > 0 or not FAMILIES[family][1]]
    penalty = 2.0 if criterion == "aic" else np.log(len(sample))
    fits = {family: _likeliest(sample, family) for family in possible}
    best = min(fits, key=lambda family: penalty * (1 if family == "exponential" else 2) - 2 * fits[family][0])
    return best, *fits[best][1:]


def _likeliest(sample: np.ndarray, family: str) -> tuple[float, Distribution, Mapping[str, Any] | None, str]:
    """Log-likelihood, variable, name and notation of the fit of one family."""
    from scipy import stats

    scipy_name, held, symbol = FAMILIES[family]
    if held and sample[0] <= 0:
        raise StudyError(
            f"a {family} variable is positive, and the data begin at {sample[0]:g}", key="distribution.fit", value=family,
            remedy="choose another family, or fit = \"empirical\"",
        )  # fmt: skip
    kind = getattr(stats, scipy_name)
    numbers = kind.fit(sample, floc=0) if held else kind.fit(sample)
    frozen = kind(*numbers)
    likelihood = float(np.sum(frozen.logpdf(sample)))
    named = None
    if family in ("normal", "lognormal"):
        named = {"type": family, "mean": float(frozen.mean()), "std": float(frozen.std())}
        shown = (frozen.mean(), frozen.std())
    elif family == "uniform":
        named = {"type": "uniform", "lower": float(sample[0]), "upper": float(sample[-1])}
        shown = (sample[0], sample[-1])
    else:
        shown = [number for i, number in enumerate(numbers) if not (held and i == len(numbers) - 2)]
    return likelihood, Frozen(frozen), named, f"{symbol}({', '.join(f'{number:.4g}' for number in shown)})"


def _kernel_estimate(sample: np.ndarray) -> Tabulated:
    """Gaussian kernels of Scott's width, cut off at five widths beyond the sample."""
    from scipy.special import ndtr

    width = sample.std(ddof=1) * len(sample) ** -0.2
    x = np.linspace(sample[0] - 5 * width, sample[-1] + 5 * width, GRID)
    u = np.zeros(GRID)
    for start in range(0, len(sample), 500):
        u += ndtr((x[:, None] - sample[start : start + 500]) / width).sum(axis=1)
    u = (u - u[0]) / (u[-1] - u[0])
    rising = np.concatenate([[True], np.diff(u) > 0])
    return Tabulated(x[rising], u[rising])
