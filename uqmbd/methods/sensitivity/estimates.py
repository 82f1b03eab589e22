"""The approaches that ask once and keep their runs: Morris, DGSM, FAST, RBD-FAST, delta, PAWN, HDMR."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.sensitivity import designs, distances, elementary, frequency
from uqmbd.analysis.sensitivity.pick_freeze import draws
from uqmbd.analysis.sensitivity.resampling import by_halves, limits
from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.methods.sensitivity.grouped import Groups, count_of, labels_of, members_of
from uqmbd.methods.sensitivity.sampled import HISTORY_RESAMPLES, Estimates, Sampled, SampledRun, resampled
from uqmbd.methods.sensitivity.settings import WITH_COUNTS, Confidence, Resamples, Step

LEAST_STEP = 0.25  # of Morris' design, share of the range: shorter ones would show noise and jumps before anything else
STARS_LOST = "{} of {} stars hold a failed run and are left out as a whole"
RUNS_A_HARMONIC = 8  # of rbd_fast: half of the runs, of which limits are made, have to tell each harmonic from noise
RUNS_LEFT = 6  # of these, so that its bias in half of them, 2 in 3, stays below 1
LEAST_DELTA = 50  # runs from which densities can be told
DUMMIES, DUMMY_RESAMPLES = 8, 10  # inputs without influence that tell the noise of a distance
LEAST_HDMR = 300  # runs below which SALib refuses
RUNS_A_TERM = 5  # of hdmr, each of whose fits takes half of the runs


class Stars(Sampled):
    """Approaches whose runs are points, each with another one for each input."""

    together: ClassVar[str] = "stars"
    lost: ClassVar[str] = STARS_LOST

    def size(self, d: int) -> int:
        return d + 1


class MorrisRun(SampledRun):
    """Inputs of a group move together."""

    settings: Morris

    @cached_property
    def _groups(self) -> tuple[list[str], np.ndarray]:
        return members_of(labels_of(self.settings.input_groups, list(self.inputs)))

    @property
    def names(self) -> list[str]:
        return self._groups[0]

    def _design(self) -> np.ndarray:
        settings, rng = self.settings, generator(self.seed, 0)
        if settings.input_groups is None:
            return settings.design(len(self.inputs), rng)
        base, members = settings.classes(len(self.inputs), rng), self._groups[1]
        return designs.inside(designs.radial_of_groups(base, designs.steps(base, members, LEAST_STEP, rng), members))

    def _estimate(self, points: np.ndarray, values: np.ndarray, few: bool) -> Estimates:
        settings, members, d = self.settings, self._groups[1], points.shape[1]
        stars = len(members) + 1
        effects = elementary.slopes(points.reshape(-1, stars, d), values.reshape(-1, stars, values.shape[1]), members)
        return settings.summed(effects, generator(self.seed, 1 + few)), {}


class Morris(Stars):
    """Elementary effects with limits by resampled stars; Morris, Technometrics 33 (1991) 161."""

    run: ClassVar[type] = MorrisRun
    accepts: ClassVar[frozenset[str]] = WITH_COUNTS

    approach: Literal["morris"]
    levels: int = Field(default=4, ge=2)
    input_groups: Groups | None = None
    resamples: Resamples = 100
    confidence: Confidence = 0.95

    def size(self, d: int) -> int:
        return count_of(self.input_groups, d) + 1

    def classes(self, d: int, rng: np.random.Generator) -> np.ndarray:
        """Points (samples, d) from all of `levels` equal classes of each input alike."""
        classes = rng.permuted(np.tile(np.arange(self.samples) % self.levels, (d, 1)), axis=1).T
        return (classes + rng.random((self.samples, d))) / self.levels

    def design(self, d: int, rng: np.random.Generator) -> np.ndarray:
        """Points, each followed by d others that differ from it in one input: (runs, d).

        The radial design of Campolongo, Saltelli and Cariboni (Comput. Phys. Commun. 182 (2011) 978) with values at random: of the points
        from all of `levels` equal classes alike, of the others at least `LEAST_STEP` away. Since both the places and the steps are random,
        no response can have a period that hides it.
        """
        base = self.classes(d, rng)
        below, above = np.maximum(base - LEAST_STEP, 0.0), np.maximum(1 - LEAST_STEP - base, 0.0)  # room on either side
        other = rng.random((self.samples, d)) * (below + above)
        other = np.where(other < below, other, other - below + base + LEAST_STEP)
        return designs.inside(designs.radial(base, other))

    def summed(self, effects: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Kinds, with limits, of the effects (stars, groups, columns)."""
        kinds, n = elementary.morris(effects), len(effects)
        weights = draws(n, self.resamples, rng)
        std = (np.tensordot(weights, np.abs(effects), axes=(1, 0)) / n).std(axis=0, ddof=1) * np.sqrt(n / (n - 1))  # resamples vary less
        return {"mu": kinds["mu"], **limits("mu_star", kinds["mu_star"], resampled(std, n), self.confidence, n), "sigma": kinds["sigma"]}


class Dgsm(Stars):
    """Upper bounds of total indices from mean squared derivatives; Sobol' and Kucherenko, Math. Comput. Simul. 79 (2009) 3009."""

    approach: Literal["dgsm"]
    step: Step = 1e-3
    resamples: Resamples = 100
    confidence: Confidence = 0.95

    def design(self, d: int, rng: np.random.Generator) -> np.ndarray:
        """Points, each followed by d others one step away in one input, to the side where there is more room: (runs, d)."""
        base = super().design(d, rng)
        return designs.radial(base, base + np.where(base < 0.5, self.step, -self.step))

    def estimate(self, points: np.ndarray, values: np.ndarray, rng: np.random.Generator, few: bool) -> Estimates:
        d = points.shape[1]
        stars = values.reshape(-1, d + 1, values.shape[1])
        squares = elementary.slopes(points.reshape(-1, d + 1, d), stars) ** 2
        base = stars[:, 0] - stars[:, 0].mean(axis=0)
        whole = elementary.variance(stars[:, 0])
        weights = draws(len(stars), self.resamples, rng) / len(stars)
        drawn = np.where(whole > 0, weights @ base**2 - (weights @ base) ** 2, 0.0)
        std = elementary.shares(np.tensordot(weights, squares, axes=(1, 0)) / np.pi**2, drawn[:, None]).std(axis=0, ddof=1)
        return limits("dgsm", elementary.dgsm(squares, stars[:, 0]), resampled(std, len(stars)), self.confidence, len(stars)), {}


class Fast(Sampled):
    """First and total order by Fourier amplitudes; Saltelli, Tarantola, Chan, Technometrics 41 (1999) 39. No confidence limits."""

    lost: ClassVar[str] = "{} failed runs are replaced by interpolation along their curves"

    approach: Literal["fast"]
    harmonics: int = Field(default=4, ge=1, le=100)

    def least(self) -> tuple[int, str]:
        enough = 4 * self.harmonics**2
        return enough + 1, f"{self.harmonics} harmonics need more than {enough} samples a curve"

    def runs(self, d: int) -> int:
        return self.samples * d

    def design(self, d: int, rng: np.random.Generator) -> np.ndarray:
        """One curve for each input, along which it has the highest frequency: (runs, d)."""
        from SALib.sample import fast_sampler

        return designs.inside(fast_sampler.sample(designs.problem(d), self.samples, M=self.harmonics, seed=rng))

    def mended(self, values: np.ndarray, ok: np.ndarray) -> np.ndarray:
        """Those of failed runs by linear interpolation along their closed curves."""
        values, n = values.copy(), self.samples
        for start in range(0, len(ok), n):
            good, bad = np.flatnonzero(ok[start : start + n]), np.flatnonzero(~ok[start : start + n])
            if bad.size and good.size:
                right = np.searchsorted(good, bad)
                low, high = good[right - 1], good[right % len(good)]
                share = ((bad - low) % n / np.maximum((high - low) % n, 1))[:, None]
                values[start + bad] = (1 - share) * values[start + low] + share * values[start + high]
        return values

    def estimate(self, points: np.ndarray, values: np.ndarray, rng: np.random.Generator, few: bool) -> Estimates:
        return frequency.fast(values, points.shape[1], self.harmonics), {}


class RbdFast(Sampled):
    """First order by random balance; Tarantola, Gatelli, Mara, Reliab. Eng. Syst. Saf. 91 (2006) 717."""

    approach: Literal["rbd_fast"]
    harmonics: int = Field(default=10, ge=1, le=100)
    resamples: Resamples = 100
    confidence: Confidence = 0.95

    def least(self) -> tuple[int, str]:
        enough = RUNS_A_HARMONIC * self.harmonics
        return enough, f"{self.harmonics} harmonics need {enough} samples at least"

    @property
    def needs(self) -> int:
        """Runs that have to be ok."""
        return RUNS_LEFT * self.harmonics

    def estimate(self, points: np.ndarray, values: np.ndarray, rng: np.random.Generator, few: bool) -> Estimates:
        count = min(self.resamples, HISTORY_RESAMPLES) if few else self.resamples
        value_and_std = by_halves(lambda x, y: frequency.rbd_fast(x, y, self.harmonics), points, values, rng, count)
        return limits("first", *value_and_std, self.confidence, count), {}


class Delta(Sampled):
    """Borgonovo's measure, which needs no moments; Reliab. Eng. Syst. Saf. 92 (2007) 771. Of scalars only.

    It is estimated from the ranks of the output, so units, outliers and increasing functions of the output do not change it, and values
    that many runs share have probabilities of their own. Densities are smoothed and averaged over whole classes of an input, which makes
    an influence look weaker (docs/theory/sensitivity.md). That is more than resamples scatter, limits from them held the exact value in
    0 to 3 % of the cases, so there are none.
    """

    scalars_only: ClassVar[bool] = True
    advised: ClassVar[int] = 500
    needs: ClassVar[int] = LEAST_DELTA
    note: ClassVar[str] = "delta has no confidence limits: densities over whole classes of an input make a strong influence look weaker"

    approach: Literal["delta"]
    resamples: Resamples = 100

    def least(self) -> tuple[int, str]:
        return LEAST_DELTA, f"delta estimates densities, which needs {LEAST_DELTA} samples at least"

    def estimate(self, points: np.ndarray, values: np.ndarray, rng: np.random.Generator, few: bool) -> Estimates:
        """All columns take the same resamples, so that an output does not depend on what other outputs there are."""
        seed = int(rng.integers(2**31))
        value = np.array([distances.delta(points, column, self.resamples, np.random.default_rng(seed)) for column in values.T]).T
        dummies = rng.random((len(points), DUMMIES))
        noise = [distances.delta(dummies, column, DUMMY_RESAMPLES, np.random.default_rng(seed)).mean() for column in values.T]
        return {"delta": value}, {"delta_without_influence": np.array(noise)}


class Pawn(Sampled):
    """Distances of conditional distribution functions; Pianosi and Wagener, Environ. Model. Softw. 67 (2015) 1.

    Noise can only add to a distance (triangle inequality), so lower limits allow for what an input without influence would get: the dummy
    of Zadeh et al., Environ. Model. Softw. 91 (2017) 210.
    """

    approach: Literal["pawn"]
    slices: int = Field(default=10, ge=2)
    resamples: Resamples = 100
    confidence: Confidence = 0.95

    def least(self) -> tuple[int, str]:
        return 5 * self.slices, f"{self.slices} slices need {5 * self.slices} samples at least"

    def estimate(self, points: np.ndarray, values: np.ndarray, rng: np.random.Generator, few: bool) -> Estimates:
        values = np.column_stack([distances.alike(column) for column in values.T])  # what rounding tells apart is no distance
        count = min(self.resamples, HISTORY_RESAMPLES) if few else self.resamples
        value_and_std = by_halves(lambda x, y: distances.pawn(x, y, self.slices), points, values, rng, count)
        kinds = limits("pawn", *value_and_std, self.confidence, count)
        # the distance of two samples of one distribution is the same for all of them
        dummies, ranks = rng.random((len(points), DUMMIES)), np.arange(float(len(points)))[:, None]
        noise = float(distances.pawn(dummies, ranks, self.slices).mean())
        return kinds | {"pawn_lower": np.maximum(kinds["pawn_lower"] - noise, 0.0)}, {"pawn_without_influence": noise}


class Hdmr(Sampled):
    """SALib's HDMR with extended bases (Li and Rabitz), of scalars only."""

    scalars_only: ClassVar[bool] = True
    needs: ClassVar[int] = LEAST_HDMR

    approach: Literal["hdmr"]
    degree: int = Field(default=3, ge=1, le=64)
    resamples: Resamples = 20
    confidence: Confidence = 0.95

    def least(self) -> tuple[int, str]:
        return LEAST_HDMR, f"hdmr needs {LEAST_HDMR} samples at least"

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.degree > 10:
            raise StudyError("hdmr takes a degree up to 10", key="degree", value=self.degree, remedy="write degree = 3")
        if self.resamples > 100:
            words = "hdmr takes up to 100 resamples, each of which is a fit"
            raise StudyError(words, key="resamples", value=self.resamples, remedy="write resamples = 20")
        return self

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        d, degree = len(inputs), self.degree
        if d < 2:
            raise StudyError("hdmr needs two inputs at least", key="method.approach", value="hdmr", remedy='take approach = "rbd_fast"')
        terms = d * degree + d * (d - 1) // 2 * degree**2
        least = RUNS_A_TERM * terms
        if self.samples < least:
            words = f"{terms} terms of degree {degree} in {d} inputs need {least} runs, else the expansion follows the noise"
            remedy = f"write samples = {least}, or lower the degree"
            raise StudyError(words, key="method.samples", value=self.samples, remedy=remedy)

    def estimate(self, points: np.ndarray, values: np.ndarray, rng: np.random.Generator, few: bool) -> Estimates:
        """Column by column with the same resamples."""
        seed = int(rng.integers(1, 2**31))
        parts = [self._of_one(points, column, seed) for column in values.T]
        kinds = {kind: np.array([part[kind] for part in parts]).T for kind in parts[0]}
        return kinds, {"explained_share": kinds.pop("explained")}

    def _of_one(self, points: np.ndarray, values: np.ndarray, seed: int) -> dict[str, np.ndarray]:
        from SALib.analyze import enhanced_hdmr

        d, pairs = points.shape[1], points.shape[1] * (points.shape[1] - 1) // 2
        names = [kind + end for kind in ("first", "total") for end in ("", "_lower", "_upper")]
        if elementary.variance(values[:, None])[0] == 0:
            return dict.fromkeys(names, np.zeros(d)) | {"second": np.zeros(pairs), "explained": 1.0}
        before = np.random.get_state()  # noqa: NPY002 - SALib draws from numpy's global generator, which is not ours to move
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                keys = {"poly_order": self.degree, "bootstrap": self.resamples, "alpha": max(self.confidence, 0.5)}
                analysis = enhanced_hdmr.analyze(designs.problem(d), points, values, max_order=2, seed=seed, **keys)
        finally:
            np.random.set_state(before)  # noqa: NPY002
        first, first_half, total, total_half = (np.asarray(analysis[key], float) for key in ("S", "S_conf", "ST", "ST_conf"))
        ends = [(value[:d], value[:d] - half[:d], value[:d] + half[:d]) for value, half in ((first, first_half), (total, total_half))]
        kinds = dict(zip(names, [*ends[0], *ends[1]], strict=True))
        return kinds | {"second": first[d : d + pairs], "explained": float(np.nansum(first))}
