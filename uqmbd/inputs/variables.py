"""Random variables by a call each: ``Uniform(0.02, 0.05, unit="mm")``."""

from __future__ import annotations

from collections.abc import Sequence

from uqmbd.inputs.random import Random


def _random(kind: str, unit: str, truncate: Sequence[float] | None, **numbers: float) -> Random:
    cut = {} if truncate is None else {"truncate": list(truncate)}
    return Random({"type": kind, **numbers, **cut}, unit=unit)


def Uniform(lower: float, upper: float, *, unit: str = "") -> Random:
    """Equally likely between two ends."""
    return _random("uniform", unit, None, lower=lower, upper=upper)


def Normal(mean: float, std: float, *, unit: str = "", truncate: Sequence[float] | None = None) -> Random:
    """Normal variable; `truncate` cuts it off at ``[lower, upper]``."""
    return _random("normal", unit, truncate, mean=mean, std=std)


def Lognormal(mean: float, std: float, *, unit: str = "", truncate: Sequence[float] | None = None) -> Random:
    """Mean and standard deviation are those of the variable itself, not of its logarithm."""
    return _random("lognormal", unit, truncate, mean=mean, std=std)


def Gumbel(mean: float, std: float, *, unit: str = "", truncate: Sequence[float] | None = None) -> Random:
    """Of largest values, by its mean and standard deviation."""
    return _random("gumbel", unit, truncate, mean=mean, std=std)


def Triangular(lower: float, mode: float, upper: float, *, unit: str = "") -> Random:
    """Density that rises to `mode` and falls from there."""
    return _random("triangular", unit, None, lower=lower, mode=mode, upper=upper)


def Weibull(shape: float, scale: float, *, shift: float = 0.0, unit: str = "", truncate: Sequence[float] | None = None) -> Random:
    """Of smallest values; it begins at `shift`."""
    return _random("weibull", unit, truncate, shape=shape, scale=scale, shift=shift)


def Gamma(shape: float, scale: float, *, shift: float = 0.0, unit: str = "", truncate: Sequence[float] | None = None) -> Random:
    """Mean ``shape * scale + shift``."""
    return _random("gamma", unit, truncate, shape=shape, scale=scale, shift=shift)


def Beta(alpha: float, beta: float, lower: float = 0.0, upper: float = 1.0, *, unit: str = "") -> Random:
    """Between two ends, with the shapes `alpha` and `beta`."""
    return _random("beta", unit, None, alpha=alpha, beta=beta, lower=lower, upper=upper)


def Exponential(scale: float, *, shift: float = 0.0, unit: str = "", truncate: Sequence[float] | None = None) -> Random:
    """Mean ``scale + shift``."""
    return _random("exponential", unit, truncate, scale=scale, shift=shift)


__all__ = ["Beta", "Exponential", "Gamma", "Gumbel", "Lognormal", "Normal", "Triangular", "Uniform", "Weibull"]
