"""What a result says of itself beyond `Facts`, typed: whoever decides by it reads a field.

Each class is a part of the attributes of a result, of a group, or of an array: what is not said has its default. A plug-in's method has
classes of its own: ``result.facts_of(MyFacts)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np


class FromAttributes:
    """Base of what is said in attributes, each a field of the same name."""

    @classmethod
    def of(cls, attrs: Mapping[Any, Any]) -> Self:
        """From attributes of any version: what is not known here is left out."""
        names = getattr(cls, "__dataclass_fields__", ())
        return cls(**{name: attrs[name] for name in names if attrs.get(name) is not None})


@dataclass(frozen=True)
class ReportFacts(FromAttributes):
    """What the report is asked to show: section ``[report]``, notes that come first, and outputs that were cut at what they cannot pass."""

    report: Mapping[str, Any] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    cut: Sequence[str] = ()

    @property
    def key(self) -> str | None:
        """The output that the report is about."""
        return self.report.get("key")

    def functions(self, what: str) -> list[str]:
        """Names of functions of ``figures``, or ``tables``, that the study or its method brings."""
        return list(self.report.get(what, ())) if isinstance(self.report, Mapping) else []


@dataclass(frozen=True)
class Cost(FromAttributes):
    """Of the last session: runs, workers, and the share of time that was no run."""

    runs_simulated_last: int = 0
    workers: int | None = None
    overhead: float | None = None


@dataclass(frozen=True)
class Tolerances(FromAttributes):
    """At which validated error an output is trusted: shares of its range, of the width of its band, of its standard deviation."""

    trust_tolerance: float | None = None
    width_tolerance: float | None = None
    std_tolerance: float | None = None


@dataclass(frozen=True)
class Evidence(FromAttributes):
    """What speaks for bounds."""

    runs_validation: int = 0  # that were not fitted
    runs_fresh: int = 0  # that no search had seen
    outside_found: int = 0  # fresh runs that left the bounds by more than is allowed
    trusted_volume: Mapping[str, float] = field(default_factory=dict)  # of each output the share of the box in trusted leaves
    statement: str = ""  # what fresh runs say of a search
    searched_share: float | None = None  # of the columns whose bounds a search has found

    @property
    def searched(self) -> bool:
        """Whether runs were asked for by a search."""
        return bool(self.statement) or self.searched_share is not None


@dataclass(frozen=True)
class Limit(FromAttributes):
    """The limit of a reliability study."""

    output: str = ""
    side: str = ""  # above or below
    limit: float | None = None  # in the unit of the output
    approach: str = "form"
    estimated_by: str = ""  # what the probability comes from, where that is not the plane of the approach
    plane_refuted: bool = False  # whether checks say that the limit is no plane, so that its factors are no causes
    unsafe_runs: int = 0  # that are beyond it
    others: str = ""  # the further limits of a system, in words

    @property
    def unknown(self) -> bool:
        """Whether the plane is refuted, and there is no other estimate."""
        return self.plane_refuted and not self.estimated_by

    @classmethod
    def of(cls, attrs: Mapping[Any, Any]) -> Limit:
        """Also of earlier versions, which said what lay against the plane."""
        settings = attrs.get("settings") or {}
        side = next((side for side in ("above", "below") if settings.get(side) is not None), "")
        against = float(np.atleast_1d(attrs.get("points_against_plane", 0))[0])
        earlier = {"output": settings.get("output"), "side": side, "limit": settings.get(side), "plane_refuted": against > 0}
        earlier["approach"] = settings.get("approach")
        return super().of(earlier | {key: value for key, value in attrs.items() if key in cls.__dataclass_fields__})


@dataclass(frozen=True)
class Diagram(FromAttributes):
    """Of methods whose results are ``about`` a diagram: over which input it is, and what was found, by output."""

    parameter: str = ""
    most_period: int = 0  # largest period that was looked for
    hysteresis: Mapping[str, Sequence[Sequence[float]]] = field(default_factory=dict)  # ranges, SI, in which up and down differ

    @classmethod
    def of(cls, attrs: Mapping[Any, Any]) -> Diagram:
        """They are in the attribute ``diagram``."""
        return super().of(attrs.get("diagram") or {})


@dataclass(frozen=True)
class Start(FromAttributes):
    """Where one start of a calibration ended: cost, steps, how it ended, and the inputs, SI."""

    cost: float = np.inf
    steps: int = 0
    end: str = ""
    at: Sequence[float] = ()


@dataclass(frozen=True)
class Estimates(FromAttributes):
    """Of methods whose results are ``about`` estimates: of each input estimate, deviation and 95 % limits, SI; of others empty."""

    estimate: Mapping[str, float] = field(default_factory=dict)
    estimate_std: Mapping[str, float] = field(default_factory=dict)
    estimate_lower: Mapping[str, float] = field(default_factory=dict)
    estimate_upper: Mapping[str, float] = field(default_factory=dict)
    covariance_of: Sequence[str] = ()  # inputs
    covariance: Sequence[Sequence[float]] = ()  # (inputs, inputs), of these
    correlated: Sequence[tuple[str, str, float]] = ()  # pairs of inputs that the readings tell better together
    at_bound: Sequence[str] = ()  # inputs at the end of their range
    fit: str = ""  # a sentence on what is left against the readings' deviations, where these are known
    fit_doubted: bool = False  # whether that is not as large as they say
    rms_residual: Mapping[str, float] = field(default_factory=dict)  # root mean square of what is left, of each output
    readings: int | None = None  # earlier versions do not say
    interpolated: int | None = None  # readings that lie between the times of the runs
    starts: Sequence[Mapping[str, Any]] = ()
    estimated_by: str = ""  # posterior: means of a distribution, whose limits hold 95 % of it; else least squares

    @classmethod
    def of(cls, attrs: Mapping[Any, Any]) -> Estimates:
        """Of a method whose results are about estimates; another one may call something else so. Version 0.1.0 did not say it."""
        earlier = "estimates" if attrs.get("method") == "calibrate" else ""
        return super().of(attrs) if attrs.get("about", earlier) == "estimates" else cls()

    def __bool__(self) -> bool:
        """Whether the result is that of a calibration."""
        return bool(self.estimate)

    @property
    def ended(self) -> list[Start]:
        """Where the starts ended."""
        return [Start.of(start) for start in self.starts]

    def limits(self, name: str) -> tuple[float, float] | None:
        """95 % limits of an input, SI; None where there are none."""
        ends = self.estimate_lower.get(name), self.estimate_upper.get(name)
        return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])

    @property
    def correlations(self) -> tuple[list[str], np.ndarray]:
        """Inputs, and the correlations of their estimates, (inputs, inputs); NaN of those that have no variance."""
        names = list(self.covariance_of)
        matrix = np.array(self.covariance, float).reshape(len(names), len(names))
        std = np.sqrt(np.diag(matrix))
        with np.errstate(invalid="ignore", divide="ignore"):
            return names, matrix / np.outer(std, std)


@dataclass(frozen=True)
class Walked(FromAttributes):
    """Of a posterior by chains: whether they agree, R-hat and effective size of each input, and what the prior has to do with it."""

    chains_converged: bool | None = None  # None: there are no chains
    rhat: Mapping[str, float] = field(default_factory=dict)
    effective_size: Mapping[str, float] = field(default_factory=dict)
    acceptance: float | None = None
    log_evidence: float | None = None  # natural logarithm of the density of the readings, SI, with its 95 % limits
    log_evidence_lower: float = np.nan
    log_evidence_upper: float = np.nan
    leaning: Sequence[str] = ()  # inputs whose posterior lies at an end of their prior
    untold: Sequence[str] = ()  # inputs of which the readings tell nothing
    scatter: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # by output ``mean``, ``lower``, ``upper``, SI, of readings
    lacking: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # likewise of what the model lacks
    surrogate_converged: bool | None = None  # this and the next: of chains that walked on a surrogate; whether fresh runs are as it says
    surrogate_error: float = np.nan  # root mean square of how far the logarithm of the density is off at them


@dataclass(frozen=True)
class Looked(FromAttributes):
    """How often runs were looked at on the way, and the confidence of limits at the last look; None where nothing is said of it."""

    looks: int = 1
    confidence_at_last_look: float | None = None


# of groups and of arrays in them ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Kinds(FromAttributes):
    """Of the groups of regions: the output that tells kinds of runs apart."""

    sequence: str = ""


@dataclass(frozen=True)
class Beyond(FromAttributes):
    """Of an output in the group of limits that runs pass: the limit, as it was written."""

    limit: str = ""


@dataclass(frozen=True)
class Compromises(FromAttributes):
    """Of the group of a front: the output whose width is on it."""

    output: str = ""


@dataclass(frozen=True)
class Checks(FromAttributes):
    """Of an output in `validation`: how many runs, the largest error and the run that has it, and what is kept of them, in words."""

    checks: int = 0
    largest_error: float = np.nan
    largest_error_run: int = -1
    thinned: str = ""


@dataclass(frozen=True)
class Cases(FromAttributes):
    """Of an output in `extreme_runs`, and of `fields`: inputs, SI, where on its axis each bound was reached, and controls of that run."""

    inputs: Mapping[str, Any] = field(default_factory=dict)
    reached: Mapping[str, float] = field(default_factory=dict)
    control: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


WHY, CLAIMED, STATISTIC = "why", "claimed", "statistic"  # as methods write them


@dataclass(frozen=True)
class Trusting(FromAttributes):
    """Of an output in `trusted`: what else took the trust away, whether the method says what it trusts, and of which statistic."""

    why: str = ""
    claimed: bool = True
    statistic: str = ""  # "mean" where its limits are no wider than what was asked for; empty of bounds and surrogates


@dataclass(frozen=True)
class Words(FromAttributes):
    """Of any array: its unit, and a title."""

    unit: str = ""
    title: str = ""
