"""Limits of a design on the probability that any, or all, of several limits of outputs are passed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.analysis.reliability.sampling import counted
from uqmbd.analysis.reliability.systems import slopes_of, together
from uqmbd.methods.design.measures import LARGEST, index_of_share, level_of, share_of_index
from uqmbd.methods.design.wanted import Wanted

WHOLE = re.compile(r"\s*(?P<measure>P|beta)\((?P<parts>.+)\)\s*(?P<sign><=|>=)\s*(?P<level>[^()<>=]+?)\s*")
PART = re.compile(r"\s*(?P<output>.+?)\s*(?P<sign><|>)\s*(?P<level>[^<>=]+?)\s*")
WRITTEN = 'write "P(B.force:max > 18 kN or x:max > 2 mm) <= 0.001", with "and" where all are to be passed, or "beta(...) >= 3"'
LEAST = 1e-12  # probability that is told from 0


@dataclass(frozen=True)
class Several:
    """A limit on a system, as it was written; `parts` have the limits whose passing is counted."""

    text: str
    system: str  # series: any of them; parallel: all
    share: float
    parts: tuple[Wanted, ...]

    @classmethod
    def read(cls, text: str) -> Several:
        """From ``"P(a > 1 or b > 2 mm) <= 0.01"``; raises `ValueError`."""
        whole = WHOLE.fullmatch(text)
        if whole is None or (whole["measure"] == "P") != (whole["sign"] == "<="):
            raise ValueError(f"a limit on a system is a text; {WRITTEN}, not {text!r}")
        words = {word for word in ("or", "and") if re.search(rf"\s{word}\s", whole["parts"])}
        if len(words) != 1:
            raise ValueError(f"several limits are joined by 'or', or by 'and', not by {'both' if words else 'neither'}; {WRITTEN}")
        word = words.pop()
        parts = [PART.fullmatch(part) for part in re.split(rf"\s+{word}\s+", whole["parts"])]
        if any(part is None for part in parts):
            raise ValueError(f"each limit of a system is an output, < or >, and a level; {WRITTEN}, not {text!r}")
        try:
            share = share_of_index(whole["level"]) if whole["measure"] == "beta" else float(whole["level"])
        except ValueError:
            share = np.nan
        if not 0 < share < 0.5:
            raise ValueError(f"the largest probability of a limit is from 0 to 0.5, and the least index above 0, not {whole['level']!r}")
        made = [Wanted(p["output"], "probability", p["sign"] == ">", level_of(p["level"]), " ".join(p[0].split())) for p in parts if p]
        return cls(" ".join(text.split()), "parallel" if word == "and" else "series", share, tuple(made))

    @property
    def index(self) -> float:
        """The least reliability index."""
        return index_of_share(self.share)


@dataclass(frozen=True, eq=False)
class Together:
    """One system among the items of a design: which are its parts, and which numbers of the design x are their reliability indices.

    Each part has its index as one more number of the design, so that its margin is that of the worst point there; the probability of the
    planes at these indices is the limit (as in Liang, Mourelatos, Tu, Int. J. Prod. Dev. 5 (2008) 93).
    """

    wanted: Several
    items: slice
    at: slice
    seed: int

    def margin(self, x: np.ndarray, points: np.ndarray) -> tuple[float, np.ndarray]:
        """Index less the one that is asked for, and its slopes (d,), of a design x (d,) with worst points (items, randoms)."""
        from scipy.special import ndtri

        beta, ways = indices(x[self.at]), points[self.items]
        ways = ways / np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-300)
        rho = np.clip(ways @ ways.T, -1.0, 1.0)
        np.fill_diagonal(rho, 1.0)
        index = float(-ndtri(np.clip(together(beta, rho, self.wanted.system, self.seed), LEAST, 1 - LEAST)))
        slopes = np.zeros(len(x))
        slopes[self.at] = -LARGEST * slopes_of(beta, rho, self.wanted.system, self.seed) / (np.exp(-index * index / 2) / np.sqrt(2 * np.pi))
        return index - self.wanted.index, slopes

    def entry(self, margin: float, *, met: bool) -> dict[str, Any]:
        """What the search says, see `uqmbd.decision_facts.LimitMet`."""
        words = {"output": "", "text": self.wanted.text, "what": "system", "upper": False, "met": met}
        return {**words, "level": self.wanted.index, "surrogate": self.wanted.index + margin}

    def counted(self, margins: Sequence[np.ndarray]) -> tuple[dict[str, float], str]:
        """What fresh runs say, from the margins (runs,) of the parts; and why they refute that the limit is met, or nothing."""
        share = counted(np.max(margins, axis=0) if self.wanted.system == "parallel" else np.min(margins, axis=0))
        refuted = "the limits are not the planes that the index takes them for" if share.lower > self.wanted.share else ""
        return {"lower": share.lower, "higher": share.upper, "runs": share.unsafe}, refuted


def indices(x: np.ndarray) -> np.ndarray:
    """Reliability indices of numbers of a design; never 0, where a worst point would have no direction."""
    return LARGEST * np.maximum(x, 1e-4)
