"""Groups of a result: what each is called, over which dimensions it is, and what it means. Methods declare theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

from uqmbd.errors import StudyError

Unit = Literal["output", "input", "1"]


@dataclass(frozen=True)
class GroupSpec:
    """A group of a result: one Dataset, ``result["name"]`` and ``result.name``.

    What an array of an output has besides the dimensions of its group is the axis of this output: time, or that of a curve.

    Examples
    --------
    >>> import numpy as np, uqmbd as uq, xarray as xr
    >>> hits = GroupSpec("hits", ("wall",), "how often runs reached each wall", unit="1")
    >>> result = uq.Result(specs=(hits,), hits=xr.Dataset({"y": ("wall", np.array([3.0, 5.0]))}, {"wall": ["left", "right"]}))
    >>> result.hits["y"].values.tolist(), [frame.key for frame in result.tables()][-1]
    ([3.0, 5.0], 'hits_y')
    """

    name: str
    dims: tuple[str, ...] = ()  # dimensions of the group's own that its arrays may have
    meaning: str = ""  # in words
    unit: Unit = "output"  # of its numbers: that of each output, of each input, or 1 for pure numbers and what says its unit itself
    per_output: bool = True  # one variable for each output, and nothing else; else its variables are what the method says
    caption: str | None = None  # of its tables, with {} for the output; None: made of the meaning; empty: it has no tables of its own

    def axes(self, dims: Iterable[Any]) -> tuple[str, ...]:
        """Which dimensions of an array of an output are axes of the output."""
        return tuple(str(dim) for dim in dims if dim not in self.dims)

    def heading(self, name: str) -> str:
        """Caption of the table of one output, or variable; empty for none."""
        own = f"{self.meaning[:1].upper()}{self.meaning[1:]}: {{}}" if self.meaning else f"{self.name} of {{}}"
        return (own if self.caption is None else self.caption).replace("{}", name)

    def stored(self) -> dict[str, Any]:
        """As it lies beside the group, so that a reader needs no method."""
        return asdict(self) | {"dims": list(self.dims)}

    @classmethod
    def of_stored(cls, entry: Mapping[str, Any]) -> GroupSpec:
        """From what `stored` gave; a later version may say more, which is left out."""
        known = {key: value for key, value in entry.items() if key in cls.__dataclass_fields__}
        return cls(**{**known, "dims": tuple(known.get("dims", ()))})


# no tables of their own: tables of the outputs have their numbers
plain = partial(GroupSpec, caption="")
ALPHA = ("alpha",)  # membership levels of fuzzy inputs
ENDS = ("alpha", "bound")  # `bound`: lower, upper
BOUNDS = plain("bounds", ENDS, "outer bounds")
INNER = plain("inner", ENDS, "what runs really reached")
ERROR = plain("error", ALPHA, "validated error of the surrogate, and that of a fixed step")
STEP_ERROR = plain("step_error", ALPHA, "error of a fixed step in time, by halving it in a few runs")
TRUSTED = plain("trusted", ALPHA, "whether the error is below its tolerance; attribute ``why``: what took the trust away", "1")
SOURCE = plain("source", ALPHA, "where outer bounds come from: 0 the surrogate's range with its error, 1 a search", "1")
TRUST_HORIZON = plain("trust_horizon", (), "of histories: time from which trust stays lost, s; infinite if it holds at the end", "1")
REGIONS = GroupSpec(
    "regions",
    ("region", "bound"),
    "outer bounds of each kind of runs, where a `sequence` tells kinds apart. Along ``region``, its value: ``share`` of the box with its "
    "95 % limits ``share_lower`` and ``share_upper``, ``runs``, and ``searched``, False of a kind that fresh runs alone have",
    caption="Bounds of {} in each region",
)
REGIONS_INNER = plain("regions_inner", ("region", "bound"), "what runs of each kind reached")
REGIONS_TRUSTED = plain("regions_trusted", ("region",), "whether the error of a region's bounds is below its tolerance", "1")
LEAVES = plain(
    "leaves",
    ("leaf", "part"),
    "of scalars: bounds in each part of a box that was split; ``part``: lower, upper, error, trusted. Along ``leaf`` its ends, SI, "
    "``lower:<input>`` and ``upper:<input>``",
)
WORST = GroupSpec(
    "worst",
    ("alpha", "bound", "input"),
    "inputs, in SI, of the run that reached each bound of `inner`",
    "input",
    caption="Inputs, in SI, at which runs reached the bounds of {}",
)
EXTREME_RUNS = plain(
    "extreme_runs",
    ("case",),
    "whole runs; ``case``: nominal, lower, upper, the run in the middle of the inputs and those that reached the outermost bounds of this "
    "output; NaN where one fails. Attributes ``inputs`` (of each case, SI), and of histories ``reached``: when, s",
)
VALIDATION = GroupSpec(
    "validation",
    ("check", "history_check", "column"),
    "runs that were not fitted, and the surrogate there; ``column``: run, surrogate. Checks are numbered as runs are; of histories some "
    "are kept (attribute ``thinned``). Attributes ``checks``, ``largest_error``, ``largest_error_run``",
    caption="Runs that were not fitted and the surrogate of {} there",
)
STATISTICS = plain(
    "statistics",
    ("alpha", "statistic", "bound"),
    "mean, std, min, max, q05 ..., and 95 % confidence limits as mean_lower, mean_upper ...; bounds of each where they are imprecise",
)
MISSING = GroupSpec("missing", (), "of outputs that runs may lack: how many ok runs have no value", "1", caption="Ok runs without {}")
SENSITIVITY = GroupSpec("sensitivity", ("alpha", "kind", "input"), "indices of each input", "1", caption="Sensitivities of {}")
AGGREGATED = GroupSpec(
    "aggregated",
    ("alpha", "kind", "input"),
    "indices of each input over all times, weighted with the variance",
    "1",
    caption="Sensitivities of {} over all times, weighted with the variance",
)
INTERACTION = GroupSpec("interaction", ("pair",), 'indices of second order, ``"a*b"``', "1", caption="Second-order indices of {}")
CDF = GroupSpec(
    "cdf",
    ("alpha", "level", "column"),
    "of scalars: probability to be at most the value; ``column``: value, lower, upper, whose limits differ where it is imprecise",
    caption="Probability that {} is at most the value",
)
CONVERGENCE = GroupSpec(
    "convergence",
    ("count", "statistic"),
    "statistics by number of runs; of a history their largest absolute value over time",
    "1",
    caption="Statistics of {} by number of runs",
)
beside = partial(GroupSpec, per_output=False, caption="")
SURROGATES = beside("surrogates", ("part", "term", "exponent"), "coefficients of surrogates, of Kriging runs; see `Result.surrogate`")
RUNS = beside("runs", ("run",), "inputs as ``input:<name>``, outputs, status, message; read when they are looked at")
FIELDS = beside("fields", (), "arrays that functions of ``[report]`` made of one run; attribute ``inputs``: of which")

FRONT = plain(
    "front",
    ("compromise", "input"),
    "the cheapest tolerances for each width of an output. Along ``compromise``: ``cost``, ``width`` of the output, ``width_runs``, what "
    "two runs at its ends have, ``tolerance`` of each input, SI",
    per_output=False,
)

ROUNDS = plain(
    "rounds",
    ("round", "limit", "input"),
    "tolerances that were chosen before limits were tightened again. Along ``round``: ``cost``, ``runs`` that had been made by then, "
    "``passed``, by how much runs within the tolerances pass each limit, in the unit of its output (of a probability, its quantile), "
    "negative where they do not, NaN where no run tells, ``tolerance`` of each input, SI",
    per_output=False,
)

DESIGNS = plain(
    "designs",
    ("look", "limit", "input"),
    "designs that a search looked at, in their order. Along ``look``: ``start``, which of the searches, ``objective``, ``margin`` to each "
    "limit, in the unit of its output, negative where it is passed, ``nominal`` of each input that was chosen, SI",
    per_output=False,
)

OURS = (
    BOUNDS, INNER, ERROR, STEP_ERROR, TRUSTED, SOURCE, TRUST_HORIZON, REGIONS, REGIONS_INNER, REGIONS_TRUSTED, LEAVES, WORST, EXTREME_RUNS,
    VALIDATION, STATISTICS, MISSING, SENSITIVITY, AGGREGATED, INTERACTION, CDF, CONVERGENCE, SURROGATES, RUNS, FIELDS,
)  # fmt: skip
OF_SAMPLE = (INNER, STATISTICS, MISSING)
OF_SEARCH = (BOUNDS, INNER, ERROR, TRUSTED, SOURCE, TRUST_HORIZON, REGIONS, REGIONS_INNER, REGIONS_TRUSTED, WORST)
OF_SURROGATE = (
    BOUNDS, INNER, ERROR, TRUSTED, SOURCE, TRUST_HORIZON, LEAVES, WORST, VALIDATION, STATISTICS, SENSITIVITY, INTERACTION, SURROGATES,
)  # fmt: skip
OF_EXPANSION = (*OF_SURROGATE, AGGREGATED, CDF, CONVERGENCE)
BY_STUDY = (STEP_ERROR, EXTREME_RUNS, TRUSTED, TRUST_HORIZON, RUNS, FIELDS)  # what studies fill, of any method
DIMENSIONS = frozenset(dim for spec in OURS for dim in spec.dims)  # no output, and no axis of one, can be called so


def known_specs(own: Iterable[GroupSpec] = ()) -> dict[str, GroupSpec]:
    """All groups that a result may have, by name: ours, then those that a method declares.

    Raises
    ------
    StudyError
        If a group takes a name of another one.
    """
    specs = {spec.name: spec for spec in OURS}
    for spec in own:
        if not spec.name.isidentifier() or (spec.name in specs and spec != specs[spec.name]):
            remedy = "call it otherwise: a word of letters, digits and _ that results do not have"
            raise StudyError("a group cannot have this name", key="groups", value=spec.name, remedy=remedy)
        specs[spec.name] = spec
    return specs
