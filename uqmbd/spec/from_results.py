"""What a calibration found as inputs of the next study: ``inputs = { from = "results/calibration" }``."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.copula import Dependence
from uqmbd.inputs.joint import names_in
from uqmbd.method_facts import Estimates, Walked

if TYPE_CHECKING:
    from uqmbd.result import Result
    from uqmbd.result_data import ResultData

KEY = "from"
AS = ("smoothed", "draws")
CLEAR = 3.0  # standard deviations of a rank correlation of independent draws: nearer to 0 it says nothing


def filled(inputs: Mapping[Any, Any], dependence: Any, directory: Path | None) -> tuple[dict[Any, Any], Any]:
    """Inputs and dependence of a study with those that ``from`` names in its place.

    A posterior gives its draws, smoothed (`uqmbd.inputs.few_data.smoothed`), bound by a Gaussian copula with their rank correlations; with
    ``as = "draws"`` the draws themselves, row by row. A least squares estimate gives normal variables with its covariance.

    Parameters
    ----------
    inputs : dict
        ``from`` is a folder of results, a table ``{ result = "results/calibration", inputs = ["k"] }``, maybe with ``as = "draws"``, or a
        list of these. In Python also a `uqmbd.Result` in place of its folder.
    dependence : Dependence or dict, optional
        That of the study, to which that of the calibration is added.
    directory : Path, optional
        Where relative paths begin.

    Raises
    ------
    StudyError
        Where there is no result, it is not one of a calibration, it is not to be trusted, or an input is given twice.
    """
    rest = {name: item for name, item in inputs.items() if name != KEY}
    asked = inputs[KEY]
    found: dict[str, Any] = {}
    pairs: list[Any] = []
    for one in asked if isinstance(asked, list) else [asked]:
        each, bound = _read(one, directory or Path())
        taken = {name for key in (*rest, *found) for name in names_in(key)}
        for name in [name for key in each for name in names_in(key)]:
            if name in taken:
                remedy = f"leave [inputs.{name}] out, or name those that are wanted: from = {{ result = ..., inputs = [...] }}"
                raise StudyError(f"'{name}' is given twice: by a calibration, and otherwise", key=f"inputs.{KEY}", remedy=remedy)
        found |= each
        pairs += bound
    if pairs:
        own = dependence.model_dump() if isinstance(dependence, Dependence) else dict(dependence or {})
        dependence = {**own, "rank_correlation": [*own.get("rank_correlation", ()), *pairs]}
    return found | rest, dependence


def _read(asked: Any, directory: Path) -> tuple[dict[str, Any], list[Any]]:
    """Inputs by name, as tables of a study file, and their rank correlations."""
    from uqmbd.result import open_results
    from uqmbd.result_data import ResultData

    table = dict(asked) if isinstance(asked, Mapping) else {"result": asked}
    if isinstance(table.get("result"), ResultData):
        table["result"] = _folder_of(table["result"])
    if not isinstance(table.get("result"), (str, PathLike)) or set(table) - {"result", "inputs", "as"}:
        remedy = 'write from = "results/calibration", or from = { result = "results/calibration", inputs = ["k"] }'
        raise StudyError("a calibration is named by its folder of results", key=f"inputs.{KEY}", value=asked, remedy=remedy)
    if table.get("as", "smoothed") not in AS:
        remedy = did_you_mean(str(table["as"]), AS)
        raise StudyError("draws are taken smoothed, or as they are", key=f"inputs.{KEY}.as", value=table["as"], remedy=remedy)
    folder = (directory / table["result"]).resolve()
    try:
        result = open_results(folder, later=True)
    except StudyError as error:
        text = f"the result of the calibration cannot be used: {error.message}"
        raise StudyError(text, key=f"inputs.{KEY}", value=table["result"], remedy=error.remedy) from None
    estimates, walked = result.facts_of(Estimates), result.facts_of(Walked)
    wrong = ""
    if not estimates:
        wrong = f"it is a result of the method {result.facts.method}, which estimates no inputs"
    elif walked.chains_converged is False:
        wrong = "its chains have not converged"
    elif walked.surrogate_converged is False:
        wrong = "its surrogate has not converged"
    elif estimates.ended and min(estimates.ended, key=lambda start: start.cost).end != "converged":
        wrong = "its search has not converged"
    if wrong:
        remedy = "run a study with the method calibrate or posterior" if not estimates else "run it again with more steps, or runs"
        raise StudyError(f"the result cannot be an input: {wrong}", key=f"inputs.{KEY}", value=table["result"], remedy=remedy)
    names = table.get("inputs", list(estimates.estimate))
    for name in names:
        if name not in estimates.estimate:
            remedy = did_you_mean(str(name), estimates.estimate, noun="input of it")
            raise StudyError(f"the calibration has no input '{name}'", key=f"inputs.{KEY}.inputs", value=name, remedy=remedy)
    if table.get("as") == "draws":
        if not walked.chains_converged:
            text = "a least squares estimate has no draws"
            raise StudyError(text, key=f"inputs.{KEY}.as", value="draws", remedy="leave as out, or run a study with the method posterior")
        return _rows(result, names, folder), []
    return _drawn(result, names, folder) if walked.chains_converged else _normal(result, names)


def _folder_of(result: ResultData) -> Path:
    """Where a result in memory lies: the next study depends on its files."""
    if result.folder is None:
        remedy = 'save it: inputs={"from": result.save("results/calibration")}'
        raise StudyError("the result of the calibration lies in no folder", key=f"inputs.{KEY}", remedy=remedy)
    return result.folder


def _rows(result: Result, names: list[str], folder: Path) -> dict[str, Any]:
    """The draws of a posterior themselves, all inputs by one row each time."""
    from uqmbd.tables.scaling import input_unit

    units, data = [input_unit(result, name).unit or "" for name in names], str(folder / "tables" / "posterior.csv")
    one = {"column": names[0]} if len(names) == 1 else {"columns": list(names)}
    table: dict[str, Any] = {"distribution": {"data": data, **one}}
    return {", ".join(names): table | ({"unit": ", ".join(units)} if any(units) else {})}


def _drawn(result: Result, names: list[str], folder: Path) -> tuple[dict[str, Any], list[Any]]:
    """Of the draws of a posterior, which its tables have in the units in which its inputs were written."""
    from uqmbd.tables.scaling import input_unit

    inputs = {}
    for name in names:
        array, unit = result["posterior"][f"input:{name}"], input_unit(result, name)
        values = array.values
        table: dict[str, Any] = {"data": str(folder / "tables" / "posterior.csv"), "column": name, "smooth": True}
        ends = float(array.attrs.get("lower", -np.inf)), float(array.attrs.get("upper", np.inf))
        reach = 5 * values.std() * len(values) ** -0.2
        if values.min() - reach < ends[0] or values.max() + reach > ends[1]:
            table["truncate"] = [float(unit.of(end)) if np.isfinite(end) else end for end in ends]
        inputs[name] = {"distribution": table} | ({"unit": unit.unit} if unit.unit else {})
    from scipy.stats import spearmanr

    sizes = result.facts_of(Walked).effective_size
    pairs = []
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            both: Any = spearmanr(result["posterior"][f"input:{a}"].values, result["posterior"][f"input:{b}"].values)
            rho = float(both.statistic)
            if abs(rho) > CLEAR / np.sqrt(min(sizes[a], sizes[b])):
                pairs.append([a, b, rho])
    return inputs, pairs


def _normal(result: Result, names: list[str]) -> tuple[dict[str, Any], list[Any]]:
    """Of an estimate with its covariance."""
    from uqmbd.tables.scaling import input_unit

    estimates = result.facts_of(Estimates)
    known, rho = estimates.correlations
    for name in names:
        if not estimates.estimate_std.get(name, 0.0) > 0:
            some = [other for other in names if estimates.estimate_std.get(other, 0.0) > 0]
            remedy = f"hold it fixed, and take the others: inputs = {some}".replace("'", '"')
            raise StudyError(f"the calibration knows no standard deviation of '{name}'", key=f"inputs.{KEY}", value=name, remedy=remedy)
    inputs = {}
    for name in names:
        unit = input_unit(result, name)
        mean, std = float(unit.of(estimates.estimate[name])), estimates.estimate_std[name] / abs(unit.factor)
        inputs[name] = {"distribution": {"type": "normal", "mean": mean, "std": std}} | ({"unit": unit.unit} if unit.unit else {})
    pairs = []
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            number = float(rho[known.index(a), known.index(b)])
            if number and np.isfinite(number):
                pairs.append([a, b, float(6 / np.pi * np.arcsin(number / 2))])  # rank correlation of normal variables (Kruskal 1958)
    return inputs, pairs
