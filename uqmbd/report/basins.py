"""What basins of attraction answer, in words."""

from __future__ import annotations

from uqmbd.figures.basins import BasinsFound
from uqmbd.report.words import listed
from uqmbd.result_data import ResultData
from uqmbd.tables.numbers import brief
from uqmbd.tables.trust import percent

TOLD = 3  # attractors in a sentence


def question(result: ResultData) -> str:
    """What was asked."""
    return f"To which attractor does the motion come, by {listed(list(result.facts_of(BasinsFound).coordinates))} at its start?"


def answer(result: ResultData) -> list[str]:
    """The shares of the first attractors, with their limits."""
    about, table = result.facts_of(BasinsFound), result["attractors"]["shares"]
    if not about.attractors:
        return ["No run comes to an attractor that is told."]
    said = []
    for words, (share, lower, upper) in list(
        zip(about.attractors, table.sel(of_attractor=["share", "lower", "upper"]).values, strict=False)
    ):
        number, _, kind = str(words).partition(": ")
        between = f"{brief(100 * lower)} to {brief(100 * upper)} %"
        said.append(f"{brief(100 * share)} % ({between}) to attractor {number} ({kind})")
    more = f"; {len(said) - TOLD} others have the rest" if len(said) > TOLD else ""
    sentences = [f"Of all starts come {listed(said[:TOLD])}{more}."]
    if about.draws > 1 and "least of a sample" in table["of_attractor"].values:
        least, greatest = (100 * float(table.sel(of_attractor=f"{word} of a sample").values[0]) for word in ("least", "greatest"))
        sentences.append(f"The share of the first is {brief(least)} to {brief(greatest)} % over {about.draws} samples of the other inputs.")
    return sentences


def unsure(result: ResultData) -> str:
    """The share of the runs of which nothing is told, in words; empty where there is none."""
    attractor = result["basins"]["attractor"].values
    return f"in {percent(float((attractor < 0).mean()))} of the runs" if (attractor < 0).any() else ""
