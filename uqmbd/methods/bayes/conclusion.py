"""What chains say of a posterior: draws, estimates with limits, how they hang together, and whether all this can be believed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.base.columnwise import by_blocks
from uqmbd.analysis.bayes.evidence import log_evidence
from uqmbd.analysis.statistics.order_statistics import LEVELS, level_name
from uqmbd.groups import GroupSpec
from uqmbd.methods.base import count_failures
from uqmbd.methods.bayes.chains import STUCK, Judged
from uqmbd.methods.parameter_studies.calibrate_estimates import CONFIDENCE, correlated, judged_fit
from uqmbd.methods.staged import Conclusion

if TYPE_CHECKING:
    import xarray as xr

LONGEST = 2000  # steps of the chains that are kept
OUTER, CROWDED = 0.01, 0.1  # a posterior leans on the end of a prior with so much of it within that much of the prior
VAGUE = 1.0  # between the limits of the logarithm of the evidence: a factor of e
UNTOLD = 0.9  # of the prior's standard deviation: from there on the readings have told nothing
TELLING = 0.2  # of the scatter of readings: errors of interpolation above that are said
POSTERIOR = GroupSpec(
    "posterior",
    ("draw",),
    "draws of the inputs, SI, as ``input:<name>`` with the ends of the prior as attributes; ``log_likelihood``: logarithm of "
    "the density of the readings (SI) there; ``run``",
    per_output=False,
    caption="",
)
CHAINS = GroupSpec(
    "chains",
    ("step", "walker"),
    "where walkers were, inputs in SI as ``input:<name>``; those of an ensemble follow each other, ``ensemble`` is theirs. Attribute "
    "``kept_from``: the step with which the draws begin; ``looks``: steps at which it was looked whether the chains suffice, with the "
    "largest ``rhat`` and the least ``effective`` size then",
    per_output=False,
    caption="",
)
PRIOR = GroupSpec(
    "prior",
    ("level",),
    "quantiles of the inputs before the readings, SI, as ``input:<name>``, at the probabilities ``level``",
    per_output=False,
    caption="",
)
PLACES = np.linspace(-3.5, 3.5, 141)  # normal scores of these quantiles


def concluded(run: Any) -> Conclusion:
    """Groups and attributes of the result of a `uqmbd.methods.bayes.walking.PosteriorRun`."""
    chains, columns = run.chains, run.columns
    first = chains.kept(run.settings.discard)
    z, log_likelihood, runs = chains.past(first)
    best_run = run.best_run()
    residual = run.likelihood.compare.residuals(run.values[best_run : best_run + 1])[0]
    at = np.unique(np.linspace(0, len(z) - 1, max(1, run.settings.draws // z[0, ..., 0].size)).astype(int))
    drawn = runs[at].ravel()
    fitted = run.likelihood.compare.fitted(run.values[best_run], residual)
    words = ["fitted", "measured", "residual", "mean", "std", *map(level_name, LEVELS)]
    groups = {
        "inner": columns.dataset(run.envelope(run.status == 0), {"bound": ["lower", "upper"]}),
        "statistics": columns.dataset(np.concatenate([fitted, _predicted(run, z[at].reshape(-1, chains.d), drawn)]), {"statistic": words}),
        "posterior": _draws(run, z[at].reshape(-1, chains.d), log_likelihood[at].ravel(), drawn),
        "chains": _chains(run, first),
        "prior": _prior(run),
    }
    return groups, _attributes(run, z, log_likelihood, residual, run.values[best_run])


def _predicted(run: Any, z: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Mean, standard deviation and quantiles of the outputs over the posterior, (statistics, columns)."""

    def of(at: slice) -> np.ndarray:
        values = run.values_at(z, drawn, at)
        return np.concatenate([[values.mean(axis=0), values.std(axis=0)], np.quantile(values, LEVELS, axis=0)])

    return by_blocks(of, run.columns.count, len(drawn))


def _draws(run: Any, z: np.ndarray, log_likelihood: np.ndarray, runs: np.ndarray) -> xr.Dataset:
    import xarray as xr

    variables: dict[str, Any] = {}
    for (kind, name), std in zip(_unknown(run), run.scatter(z).T, strict=True):
        variables[f"{kind}:{name}"] = ("draw", std, {"unit": run.columns.outputs[name].unit})
    for name, x in run.samples(z[:, : len(run.inputs)]).items():
        ends = run.inputs[name].ppf(np.array([0.0, 1.0])).tolist()
        known = {word: end for word, end in zip(("lower", "upper"), ends, strict=True) if np.isfinite(end)}
        variables[f"input:{name}"] = ("draw", x, {"unit": run.inputs[name].unit, **known})
    return xr.Dataset(variables | {"log_likelihood": ("draw", log_likelihood, {"unit": ""}), "run": ("draw", runs, {"unit": ""})})


def _prior(run: Any) -> xr.Dataset:
    import xarray as xr
    from scipy.special import ndtr

    quantiles = {
        f"input:{name}": ("level", np.asarray(item.from_normal(PLACES)), {"unit": item.unit})
        for name, item in run.inputs.items()
        if name not in run.inputs.sampled
    }
    return xr.Dataset(quantiles, {"level": ndtr(PLACES)})


def _chains(run: Any, first: int) -> xr.Dataset:
    import xarray as xr

    chains = run.chains
    steps = np.unique(np.linspace(0, chains.steps - 1, min(chains.steps, LONGEST)).astype(int))
    z = chains.past()[0][steps]
    shape = len(steps), chains.ensembles * chains.walkers
    samples = run.samples(z.reshape(-1, chains.d)[:, : len(run.inputs)])
    units = {name: item.unit for name, item in run.inputs.items()}
    variables = {f"input:{name}": (("step", "walker"), x.reshape(shape), {"unit": units[name]}) for name, x in samples.items()}
    coords = {"step": steps, "ensemble": ("walker", np.repeat(np.arange(chains.ensembles), chains.walkers))}
    words = dict(zip(("looks", "rhat", "effective"), map(list, zip(*chains.looks, strict=True)), strict=False))
    wanted = {"rhat_wanted": run.settings.rhat, "effective_wanted": run.settings.effective}
    return xr.Dataset(variables, coords, {"kept_from": first, **words, **wanted})


def _attributes(run: Any, z: np.ndarray, log_likelihood: np.ndarray, residual: np.ndarray, fitted: np.ndarray) -> dict[str, Any]:
    names, settings, chains, compare = list(run.inputs), run.settings, run.chains, run.likelihood.compare
    labels = [*names, *(f"{'scatter' if kind == 'noise' else kind} of {name}" for kind, name in _unknown(run))]
    x = np.column_stack(list(run.samples(z.reshape(-1, chains.d)[:, : len(names)]).values()))
    covariance = np.atleast_2d(np.cov(x, rowvar=False))
    ends = np.quantile(x, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    judged = chains.judged(settings.discard, run.coordinate)
    rhat, effective = judged.rhat, judged.effective
    leaning, untold = _against_prior(labels, run.coordinate(z).reshape(-1, chains.d))
    converged = judged.agree(settings.rhat)
    squares = float(residual @ residual)
    free = run.likelihood.noise or settings.discrepancy  # of which no fit is asked: what is left is taken for the one or the other
    fit = {} if free else judged_fit(squares, compare.count - len(names))
    pairs = correlated(names, covariance)
    slow = "" if converged else _not_converged(labels, judged, settings.rhat, chains.steps, ended=run.ended)
    about, warnings = run.about()
    warnings = [slow, *warnings] if slow else warnings
    notes = list(warnings)
    if run.ended and converged and (effective < settings.effective).any():
        least = int(np.argmin(effective))
        notes.append(
            f"the draws of {labels[least]} are worth {effective[least]:.0f} independent ones, where effective = {settings.effective} was "
            f"asked for: its limits are known to {100 / np.sqrt(effective[least]):.2g} % of its standard deviation or so; raise max_steps"
        )
    if run.ended or converged:  # else walkers are still on their way
        notes += leaning.values()
        notes += [f"the readings tell nothing of {name}: its posterior is as wide as its prior" for name in untold]
        notes += [f"the readings tell {a} and {b} only together (correlation {rho:.3g})" for a, b, rho in pairs]
        notes += [fit["fit"]] if fit.get("fit_doubted") else []
    if compare.interpolated and (off := float(np.abs(compare.errors(fitted)).max())) > TELLING:
        notes.append(
            f"readings lie between the study's times, where histories are interpolated with an error of {off:.2g} of the readings' "
            "scatter: raise time.points"
        )
    return {
        "method": settings.name,
        "about": "estimates",
        "estimated_by": "posterior",
        "seed": run.seed,
        "estimate": dict(zip(names, x.mean(axis=0).tolist(), strict=True)),
        "estimate_std": dict(zip(names, x.std(axis=0, ddof=1).tolist(), strict=True)),
        "estimate_lower": dict(zip(names, ends[0].tolist(), strict=True)),
        "estimate_upper": dict(zip(names, ends[1].tolist(), strict=True)),
        "covariance": covariance.tolist(),
        "covariance_of": names,
        "correlated": [list(pair) for pair in pairs],
        "sum_of_squares": squares,
        **fit,
        "at_bound": [],
        "readings": compare.count,
        "interpolated": compare.interpolated,
        "rms_residual": compare.root_mean_squares(residual),
        "chains_converged": converged,
        **_evidence(z, log_likelihood, about.get("surrogate_error", 0.0), notes),
        **_scatter(run, z.reshape(-1, chains.d)),
        "rhat": dict(zip(labels, np.where(np.isfinite(rhat), rhat, 1e300).tolist(), strict=True)),
        "effective_size": dict(zip(labels, effective.tolist(), strict=True)),
        "acceptance": chains.taken / max(chains.tried, 1),
        "steps": chains.steps,
        "steps_left_out": chains.kept(settings.discard),
        "walkers": chains.ensembles * chains.walkers,
        "leaning": list(leaning),
        "untold": untold,
        "warnings": warnings,
        **about,
        "notes": notes,
        **count_failures(run.status),
    }


def _evidence(z: np.ndarray, log_likelihood: np.ndarray, off: float, notes: list[str]) -> dict[str, float]:
    """Logarithm of the evidence with its limits, which a surrogate that is `off` widens; a note where it is not known."""
    found = log_evidence(z, log_likelihood - 0.5 * (z**2).sum(axis=-1) - 0.5 * z.shape[-1] * np.log(2 * np.pi))
    if found is None or off > VAGUE:
        return {}
    lower, upper = found.lower - off, found.upper + off
    if upper - lower > VAGUE:
        notes.append(
            f"the logarithm of the evidence, {found.value:.4g}, is known between {lower:.4g} and {upper:.4g} only: the "
            "posterior is far from a normal density, or the draws are few"
        )
    return {"log_evidence": found.value, "log_evidence_lower": lower, "log_evidence_upper": upper}


def _unknown(run: Any) -> list[tuple[str, str]]:
    """Kind and output of the standard deviations that were not known, in the order of their coordinates."""
    return [*(("noise", name) for name in run.likelihood.noise), *(("discrepancy", name) for name in run.likelihood.sizes)]


def _scatter(run: Any, z: np.ndarray) -> dict[str, dict[str, Any]]:
    """Estimates of them, SI, by output: ``scatter`` of readings, and sizes of what the model lacks."""
    ends = ("lower", (1 - CONFIDENCE) / 2), ("upper", (1 + CONFIDENCE) / 2)
    found: dict[str, dict[str, Any]] = {}
    for (kind, name), std in zip(_unknown(run), run.scatter(z).T, strict=True):
        words = {"mean": float(std.mean())} | {word: float(np.quantile(std, share)) for word, share in ends}
        found.setdefault("scatter" if kind == "noise" else "lacking", {})[name] = words
    return found


def _not_converged(names: list[str], judged: Judged, wanted: float, steps: int, *, ended: bool) -> str:
    """That chains have not converged, and what to do once they have `ended`."""
    worst = int(np.argmax(judged.rhat))
    why = f"the ensembles disagree about {names[worst]} (R-hat {judged.rhat[worst]:.3g}, above {wanted:g})"
    if judged.rhat[worst] <= wanted:
        worst = int(np.argmax(judged.alone))
        why = f"walkers stay where they are in {names[worst]} (R-hat of single walkers {judged.alone[worst]:.3g}, above {STUCK:g})"
    remedy = "; raise max_steps or walkers" if ended else ""
    return f"the chains have not converged: {why} after {steps} steps, so nothing of the posterior is trusted{remedy}"


def _against_prior(names: list[str], z: np.ndarray) -> tuple[dict[str, str], list[str]]:
    """Inputs whose posterior leans on an end of their prior, with a sentence each, and those that the readings tell nothing of.

    `z` (draws, inputs) are the standard normal variables of the inputs.
    """
    from scipy.special import ndtri

    leaning = {}
    for name, column in zip(names, z.T, strict=True):
        for end, share in (("lower", np.mean(column < ndtri(OUTER))), ("upper", np.mean(column > -ndtri(OUTER)))):
            if share > CROWDED:
                leaning[name] = (
                    f"{100 * share:.0f} % of the posterior of {name} lie in the {end} {100 * OUTER:g} % of its prior: the readings ask for "
                    f"values that the prior hardly has; widen the prior there, or look for what the model lacks"
                )
    untold = [name for name, std in zip(names, z.std(axis=0), strict=True) if std > UNTOLD and name not in leaning]
    return leaning, untold
