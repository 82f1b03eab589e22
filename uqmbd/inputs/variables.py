"""Random variables by a call each: ``Uniform(0.02, 0.05, unit="mm")``."""

from __future__ import annotations

from collections.abc import Sequence

from uqmbd.inputs.random import Random


def _random(kind: str, unit: str, truncate: Sequence[float] | None, **numbers: float) -> Random:
    cut = {} if truncate is None else {"truncate": list(truncate)}
    return Random({"type": kind, **numbers, **cut}, unit=unit)


def Uniform(lower: float, upper: float, *, unit: str = "") -> Random:
    """Equally likely between two ends.

    Examples
    --------
    >>> import numpy as np
    >>> import uqmbd as uq
    >>> uq.Uniform(0.02, 0.05).ppf(np.array([0.05, 0.5, 0.95])).round(4).tolist()  # quantiles
    [0.0215, 0.035, 0.0485]
    """
    return _random("uniform", unit, None, lower=lower, upper=upper)


def Normal(mean: float, std: float, *, unit: str = "", truncate: Sequence[float] | None = None) -> Random:
    """Normal variable; `truncate` cuts it off at ``[lower, upper]``.

    Examples
    --------
    >>> import numpy as np
    >>> import uqmbd as uq
    >>> uq.Normal(1.0, 0.1).ppf(np.array([0.05, 0.5, 0.95])).round(4).tolist()  # quantiles
    [0.8355, 1.0, 1.1645]
    """
    return _random("normal", unit, truncate, mean=mean, std=std)


def Lognormal(mean: float, std: float, *, unit: str = "", truncate: Sequence[float] | None = None) -> Random:
    """Mean and standard deviation are those of the variable itself, not of its logarithm.

    Examples
    --------
    >>> import numpy as np
    >>> import uqmbd as uq
    >>> uq.Lognormal(1.0, 0.1).ppf(np.array([0.05, 0.5, 0.95])).round(4).tolist()  # quantiles
    [0.8445, 0.995, 1.1725]
    """
    return _random("lognormal", unit, truncate, mean=mean, std=std)


def Gumbel(mean: float, std: float, *, unit: str = "", truncate: Sequence[float] | None = None) -> Random:
    """Of largest values, by its mean and standard deviation.

    Examples
    --------
    >>> import numpy as np
    >>> import uqmbd as uq
    >>> uq.Gumbel(1.0, 0.1).ppf(np.array([0.05, 0.5, 0.95])).round(4).tolist()  # quantiles
    [0.8694, 0.9836, 1.1866]
    """
    return _random("gumbel", unit, truncate, mean=mean, std=std)


def Triangular(lower: float, mode: float, upper: float, *, unit: str = "") -> Random:
    """Density that rises to `mode` and falls from there.

    Examples
    --------
    >>> import numpy as np
    >>> import uqmbd as uq
    >>> uq.Triangular(1.0, 1.2, 2.0).ppf(np.array([0.05, 0.5, 0.95])).round(4).tolist()  # quantiles
    [1.1, 1.3675, 1.8]
    """
    return _random("triangular", unit, None, lower=lower, mode=mode, upper=upper)


def Weibull(shape: float, scale: float, *, shift: float = 0.0, unit: str = "", truncate: Sequence[float] | None = None) -> Random:
    """Of smallest values; it begins at `shift`.

    Examples
    --------
    >>> import numpy as np
    >>> import uqmbd as uq
    >>> uq.Weibull(2.0, 1.0).ppf(np.array([0.05, 0.5, 0.95])).round(4).tolist()  # quantiles
    [0.2265, 0.8326, 1.7308]
    """
    return _random("weibull", unit, truncate, shape=shape, scale=scale, shift=shift)


def Gamma(shape: float, scale: float, *, shift: float = 0.0, unit: str = "", truncate: Sequence[float] | None = None) -> Random:
    """Mean ``shape * scale + shift``.

    Examples
    --------
    >>> import numpy as np
    >>> import uqmbd as uq
    >>> uq.Gamma(9.0, 0.5).ppf(np.array([0.05, 0.5, 0.95])).round(4).tolist()  # quantiles
    [2.3476, 4.3345, 7.2173]
    """
    return _random("gamma", unit, truncate, shape=shape, scale=scale, shift=shift)


def Beta(alpha: float, beta: float, lower: float = 0.0, upper: float = 1.0, *, unit: str = "") -> Random:
    """Between two ends, with the shapes `alpha` and `beta`.

    Examples
    --------
    >>> import numpy as np
    >>> import uqmbd as uq
    >>> uq.Beta(2.0, 3.0).ppf(np.array([0.05, 0.5, 0.95])).round(4).tolist()  # quantiles
    [0.0976, 0.3857, 0.7514]
    """
    return _random("beta", unit, None, alpha=alpha, beta=beta, lower=lower, upper=upper)


def Exponential(scale: float, *, shift: float = 0.0, unit: str = "", truncate: Sequence[float] | None = None) -> Random:
    """Mean ``scale + shift``.

    Examples
    --------
    >>> import numpy as np
    >>> import uqmbd as uq
    >>> uq.Exponential(0.5).ppf(np.array([0.05, 0.5, 0.95])).round(4).tolist()  # quantiles
    [0.0256, 0.3466, 1.4979]
    """
    return _random("exponential", unit, truncate, scale=scale, shift=shift)


__all__ = ["Beta", "Exponential", "Gamma", "Gumbel", "Lognormal", "Normal", "Triangular", "Uniform", "Weibull"]
