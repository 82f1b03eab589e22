"""What a design is judged by: an output at the nominals, its mean and standard deviation, a quantile, a probability, the worst case."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from uqmbd.inputs.quantity import level

NUMBER = r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?"
SPREAD = re.compile(r"\s*(?P<mean>mean)?\s*(?:(?P<sign>[-+])?\s*(?:(?P<times>[0-9.]+)\s*\*?\s*)?(?P<std>std))?\s*")
QUANTILE = re.compile(rf"\s*quantile\s+(?P<share>{NUMBER})\s*")
BEYOND = re.compile(r"\s*P\(\s*(?P<sign><|>)\s*(?P<level>[^()<>=]+?)\s*\)\s*")
MOST_INDEX = 10.0
LARGEST = 8.0  # reliability index up to which a probability is made smaller: 6e-16
WRITTEN = 'write "nominal", "mean + 3 std", "quantile 0.99", "worst" or "P(> 18 kN)"'
What = Literal["end", "width", "probability", "spread", "quantile", "worst"]


@dataclass(frozen=True)
class Measure:
    """What is taken of an output, as it was written."""

    what: What
    text: str
    mean: float = 0.0  # factors of the mean and of the standard deviation
    std: float = 0.0
    share: float = 0.0  # of what lies beyond a quantile
    upper: bool = True  # whether what is beyond is above
    level: Any = None  # of a probability

    @classmethod
    def read(cls, text: str) -> Measure:
        """From ``"mean + 3 std"``, ``"quantile 0.99"``, ``"worst"``, ``"P(> 18 kN)"`` or ``"nominal"``; raises `ValueError`."""
        written = " ".join(text.split())
        if written in ("nominal", "worst"):
            return cls("worst" if written == "worst" else "end", written)
        if (quantile := QUANTILE.fullmatch(text)) is not None:
            share = float(quantile["share"])
            if not 0 < share < 1 or share == 0.5:
                raise ValueError(f"a quantile is between 0 and 1, and not the median, not {quantile['share']}")
            return cls("quantile", written, share=min(share, 1 - share), upper=share > 0.5)
        if (beyond := BEYOND.fullmatch(text)) is not None:
            return cls("probability", written, upper=beyond["sign"] == ">", level=level_of(beyond["level"]))
        spread = SPREAD.fullmatch(text)
        mean, std = (bool(spread and spread[key]) for key in ("mean", "std"))
        if spread is None or not (mean or std) or (mean and std) != bool(spread["sign"]) or (spread["times"] or "").count(".") > 1:
            raise ValueError(f"what is taken of an output is a text; {WRITTEN}, not {text!r}")
        times = float(spread["times"] or 1) * (-1 if spread["sign"] == "-" else 1) if std else 0.0
        return cls("spread", written, mean=float(mean), std=times)


def level_of(text: str) -> Any:
    """A number, or one with a unit."""
    try:
        return float(text)
    except ValueError:
        return level(text)


def share_of_index(text: str) -> float:
    """Probability Φ(-β) of a reliability index that is written; raises `ValueError`."""
    from scipy.special import ndtr

    try:
        beta = float(text)
    except ValueError:
        beta = np.nan
    if not 0 < beta < MOST_INDEX:
        raise ValueError(f"the least reliability index of a limit is from 0 to {MOST_INDEX:g}, not {text!r}")
    return float(ndtr(-beta))


def index_of_share(share: float) -> float:
    """Reliability index -Φ⁻¹(P)."""
    from scipy.special import ndtri

    return float(-ndtri(share))


def share_of(beta: float) -> float:
    """Probability Φ(-β)."""
    from scipy.special import ndtr

    return float(ndtr(-beta))
