"""Quantiles of all distributions to 50 digits, by mpmath from distribution functions in closed form: writes quantiles.csv.

Run by hand where mpmath is installed (it is no dependency): ``python -m tests.uqmbd.make_quantiles``. Nothing of uqmbd or scipy is used.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import mpmath as m

m.mp.dps = 50
PROBABILITIES = ("1e-12", "1e-9", "1e-4", "0.3")  # below, and above
R = m.mpf


def gamma_p(a, x):
    return m.gammainc(R(a), 0, x, regularized=True)


def beta_p(a, b, x):
    return m.betainc(R(a), R(b), 0, x, regularized=True)


phi = m.ncdf


def mixed(part, nc):
    """Poisson mixture, of non-central distributions."""
    weights = [m.exp(-R(nc) / 2) * (R(nc) / 2) ** j / m.factorial(j) for j in range(80)]
    return lambda x: m.fsum(w * part(j, x) for j, w in enumerate(weights))


def lognormal(mean, std):
    v = m.log1p((R(std) / R(mean)) ** 2)
    return lambda x: phi((m.log(x) - m.log(R(mean)) + v / 2) / m.sqrt(v))


def gumbel(mean, std):
    scale = m.sqrt(6) / m.pi * R(std)
    return lambda x: m.exp(-m.exp(-(x - R(mean)) / scale - m.euler))


def signed(half):
    return lambda x: (1 + m.sign(x) * half(abs(x))) / 2


def powered(x, k):
    return x ** R(k)


# name, parameters, lower end, upper end (None: infinite), distribution function
TABLE = [
    ("uniform", dict(lower=2, upper=5), 2, 5, lambda x: (x - 2) / 3),
    ("uniform", dict(lower=0, upper=0.5), 0, 0.5, lambda x: 2 * x),
    ("normal", dict(mean=1.5, std=0.25), None, None, lambda x: phi((x - R(1.5)) / R(0.25))),
    ("lognormal", dict(mean=1, std=0.5), 0, None, lognormal(1, 0.5)),
    ("gumbel", dict(mean=2, std=0.5), None, None, gumbel(2, 0.5)),
    ("triangular", dict(lower=0, mode=1, upper=4), 0, 4, lambda x: x * x / 4 if x < 1 else 1 - (4 - x) ** 2 / 12),
    ("alpha", dict(shape=1.25), 0, None, lambda x: phi(R(1.25) - 1 / x) / phi(R(1.25))),
    ("anglit", {}, -m.pi / 4, m.pi / 4, lambda x: m.sin(x + m.pi / 4) ** 2),
    ("arcsinus", dict(shape=0.25), 0, 1, lambda x: beta_p(0.25, 0.75, x)),
    ("beta", dict(alpha=2.25, beta=3), 0, 1, lambda x: beta_p(2.25, 3, x)),
    ("bradford", dict(shape=1.5), 0, 1, lambda x: m.log1p(R(1.5) * x) / m.log1p(R(1.5))),
    ("burr", dict(alpha=2.25, kappa=1.75), 0, None, lambda x: 1 - (1 + powered(x, 2.25)) ** -R(1.75)),
    ("cauchy", dict(scale=2), None, None, lambda x: R(0.5) + m.atan(x / 2) / m.pi),
    ("chi", dict(df=2.5), 0, None, lambda x: gamma_p(1.25, x * x / 2)),
    ("chisquared", dict(df=3), 0, None, lambda x: gamma_p(1.5, x / 2)),
    ("chisquared", dict(df=3, nc=2), 0, None, mixed(lambda j, x: gamma_p(1.5 + j, x / 2), 2)),
    ("doublegamma", dict(shape=1.75), None, None, signed(lambda x: gamma_p(1.75, x))),
    ("doubleweibull", dict(shape=1.75), None, None, signed(lambda x: 1 - m.exp(-powered(x, 1.75)))),
    ("exponential", dict(scale=3), 0, None, lambda x: 1 - m.exp(-x / 3)),
    ("exponentialpower", dict(shape=1.75), 0, None, lambda x: 1 - m.exp(1 - m.exp(powered(x, 1.75)))),
    ("exponentialweibull", dict(alpha=1.75, kappa=2.25), 0, None, lambda x: (1 - m.exp(-powered(x, 2.25))) ** R(1.75)),
    ("f", dict(n=3, m=12), 0, None, lambda x: beta_p(1.5, 6, 3 * x / (3 * x + 12))),
    ("f", dict(n=3, m=12, nc=1), 0, None, mixed(lambda j, x: beta_p(1.5 + j, 6, 3 * x / (3 * x + 12)), 1)),
    ("fatiguelife", dict(shape=0.75), 0, None, lambda x: phi((m.sqrt(x) - 1 / m.sqrt(x)) / R(0.75))),
    ("fisk", dict(shape=2.25), 0, None, lambda x: 1 / (1 + x ** -R(2.25))),
    ("foldedcauchy", dict(shape=0.75), 0, None, lambda x: (m.atan(x - R(0.75)) + m.atan(x + R(0.75))) / m.pi),
    ("foldednormal", dict(mu=0.75), 0, None, lambda x: phi(x - R(0.75)) + phi(x + R(0.75)) - 1),
    ("gamma", dict(shape=2.25, scale=2), 0, None, lambda x: gamma_p(2.25, x / 2)),
    ("generalizedexponential", dict(a=1.25, b=0.75, c=1.5), 0, None, lambda x: 1 - m.exp(-2 * x + (1 - m.exp(-R(1.5) * x)) / 2)),
    ("generalizedextreme", dict(shape=0.25), None, 4, lambda x: m.exp(-((1 - x / 4) ** 4))),
    ("generalizedextreme", dict(shape=-0.25), -4, None, lambda x: m.exp(-((1 + x / 4) ** -4))),
    ("generalizedextreme", dict(shape=0), None, None, lambda x: m.exp(-m.exp(-x))),
    ("generalizedgamma", dict(shape1=2.25, shape2=1.5), 0, None, lambda x: gamma_p(2.25, powered(x, 1.5))),
    ("generalizedhalflogistic", dict(shape=0.5), 0, 2, lambda x: (1 - (1 - x / 2) ** 2) / (1 + (1 - x / 2) ** 2)),
    ("gilbrat", {}, 0, None, lambda x: phi(m.log(x))),
    ("gompertz", dict(shape=1.75), 0, None, lambda x: 1 - m.exp(-R(1.75) * (m.exp(x) - 1))),
    ("hyperbolicsecant", {}, None, None, lambda x: 2 / m.pi * m.atan(m.exp(m.pi * x / 2))),
    ("inversegamma", dict(shape=2.25), 0, None, lambda x: m.gammainc(R(2.25), 1 / x, regularized=True)),
    (
        "inversegaussian", dict(mu=1.25), 0, None,
        lambda x: phi((x / R(1.25) - 1) / m.sqrt(x)) + m.exp(2 / R(1.25)) * phi(-(x / R(1.25) + 1) / m.sqrt(x)),
    ),
    ("inverseweibull", dict(shape=2.25), 0, None, lambda x: m.exp(-(x ** -R(2.25)))),
    ("kumaraswamy", dict(alpha=2.25, beta=3.5), 0, 1, lambda x: 1 - (1 - powered(x, 2.25)) ** R(3.5)),
    ("laplace", dict(sigma=2), None, None, signed(lambda x: 1 - m.exp(-x / 2))),
    ("levy", {}, 0, None, lambda x: m.erfc(1 / m.sqrt(2 * x))),
    ("loggamma", dict(shape=1.75), None, None, lambda x: gamma_p(1.75, m.exp(x))),
    ("logistic", {}, None, None, lambda x: 1 / (1 + m.exp(-x))),
    ("logistic", dict(skew=1.75), None, None, lambda x: (1 + m.exp(-x)) ** -R(1.75)),
    ("loglaplace", dict(shape=2.25), 0, None, lambda x: powered(x, 2.25) / 2 if x < 1 else 1 - x ** -R(2.25) / 2),
    ("loguniform", dict(lower=0.5, upper=1.5), m.exp(R(0.5)), m.exp(R(1.5)), lambda x: m.log(x) - R(0.5)),
    ("logweibull", {}, None, None, lambda x: m.exp(-m.exp(-x))),
    ("maxwell", {}, 0, None, lambda x: gamma_p(1.5, x * x / 2)),
    ("mielke", dict(kappa=2.25, expo=1.75), 0, None, lambda x: powered(x, 2.25) / (1 + powered(x, 1.75)) ** (R(2.25) / R(1.75))),
    ("nakagami", dict(shape=1.75), 0, None, lambda x: gamma_p(1.75, R(1.75) * x * x)),
    ("pareto1", dict(shape=2.25), 1, None, lambda x: 1 - x ** -R(2.25)),
    ("pareto2", dict(shape=2.25), 0, None, lambda x: 1 - (1 + x) ** -R(2.25)),
    ("pert", dict(lower=0, mode=0.25, upper=1), 0, 1, lambda x: beta_p(2, 4, x)),
    ("powerlaw", dict(shape=2.25), 0, 1, lambda x: powered(x, 2.25)),
    ("powerlognormal", dict(shape=2.25, sigma=0.75), 0, None, lambda x: 1 - phi(-m.log(x) / R(0.75)) ** R(2.25)),
    ("powernormal", dict(shape=2.25), None, None, lambda x: 1 - phi(-x) ** R(2.25)),
    ("rayleigh", dict(scale=2), 0, None, lambda x: 1 - m.exp(-x * x / 8)),
    ("reciprocal", dict(lower=1.5, upper=4), 1.5, 4, lambda x: m.log(x / R(1.5)) / m.log(4 / R(1.5))),
    (
        "reciprocalinversegaussian", dict(mu=1.25), 0, None,
        lambda x: phi(-(1 / R(1.25) - x) / m.sqrt(x)) - m.exp(2 / R(1.25)) * phi(-(1 / R(1.25) + x) / m.sqrt(x)),
    ),
    ("studentt", dict(df=3.5), None, None, signed(lambda x: 1 - beta_p(1.75, 0.5, R(3.5) / (R(3.5) + x * x)))),
    ("triangle", dict(lower=0, midpoint=0.25, upper=1), 0, 1, lambda x: 4 * x * x if x < 0.25 else 1 - (1 - x) ** 2 / R(0.75)),
    ("truncexponential", dict(upper=2.5), 0, 2.5, lambda x: (1 - m.exp(-x)) / (1 - m.exp(-R(2.5)))),
    ("truncnormal", dict(lower=-1.5, upper=2.5), -1.5, 2.5, lambda x: (phi(x) - phi(R(-1.5))) / (phi(R(2.5)) - phi(R(-1.5)))),
    ("truncnormal", dict(lower=5, upper=9), 5, 9, lambda x: (phi(-R(5)) - phi(-x)) / (phi(-R(5)) - phi(-R(9)))),
    ("tukeylambda", dict(shape=0.25), None, None, None),
    ("tukeylambda", dict(shape=-0.25), None, None, None),
    ("weibull", dict(shape=1.75, scale=2), 0, None, lambda x: 1 - m.exp(-powered(x / 2, 1.75))),
    ("wigner", dict(radius=2), -2, 2, lambda x: R(0.5) + (x / 2 * m.sqrt(1 - x * x / 4) + m.asin(x / 2)) / m.pi),
    ("wrappedcauchy", dict(shape=0.5), 0, 2 * m.pi, lambda x: m.atan(3 * m.tan(x / 2)) / m.pi + (0 if x < m.pi else 1)),
]  # fmt: skip


def quantile(cdf, low, high, p, above):
    """Root by bisection in a coordinate that spreads the nearer end, then in the value itself."""
    target = (lambda x: p - (1 - cdf(x))) if above else (lambda x: cdf(x) - p)
    if low is None or high is None:
        start = m.mpf(0) if low is None and high is None else m.mpf(low if high is None else high)
        if low is None:
            reach = m.mpf(1)
            while target(start - reach) > 0:
                reach *= 2
            low = start - reach
        if high is None:
            reach = m.mpf(1)
            while target(start + reach) < 0:
                reach *= 2
            high = start + reach
    low, high = m.mpf(low), m.mpf(high)
    a, b = (m.mpf(0), m.mpf(400)) if low == 0 else (m.mpf(0), m.mpf(1))
    place = (lambda t: high * m.exp(-t)) if low == 0 else (lambda t: high - (high - low) * t)  # falls with t
    for _ in range(190):
        middle = (a + b) / 2
        a, b = (middle, b) if target(place(middle)) > 0 else (a, middle)
    return place((a + b) / 2)


def tukey(shape, p):
    return (powered(p, shape) - powered(1 - p, shape)) / R(shape)


def main() -> None:
    rows = []
    for name, numbers, low, high, cdf in TABLE:
        row = [name, json.dumps(numbers)]
        for above in (False, True):
            for text in PROBABILITIES:
                p = m.mpf(text)
                if cdf is None:
                    x = tukey(numbers["shape"], p) * (-1 if above else 1)
                else:
                    x = quantile(cdf, low, high, p, above)
                row.append(m.nstr(x, 22))
        rows.append(row)
        print(row[:2])
    with open(Path(__file__).with_name("quantiles.csv"), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["distribution", "parameters", *(f"below {p}" for p in PROBABILITIES), *(f"above {p}" for p in PROBABILITIES)])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
