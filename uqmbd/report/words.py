"""Words that sentences of the first screen share: names of outputs as they are spoken, of inputs, and what lists are."""

from uqmbd.outcomes import TIME
from uqmbd.result_data import ResultData
from uqmbd.tables.scatter import OfModel

NAMED = 6  # inputs that a sentence names
REDUCED = {
    "max": "the greatest {}", "min": "the least {}", "abs_max": "the greatest size of {}", "rms": "the root mean square of {}",
    "mean": "the mean of {}", "final": "{} at the end",
    "time_of_max": "the time of the greatest {}", "time_of_min": "the time of the least {}",
}  # fmt: skip  # of outputs over time, by their reduction


def spoken(name: str) -> str:
    """An output as a sentence says it: ``the greatest B.force`` is ``B.force:max``; what has a window is said as it is written."""
    base, _, reduction = name.partition(":")
    return REDUCED[reduction].format(base) if reduction in REDUCED else name


def begun(text: str) -> str:
    """The text as the beginning of a sentence; names of outputs stay as they are written."""
    return text[0].upper() + text[1:] if text.startswith(("the ", "it ", "no ", "runs ", "between ")) else text


def listed(words: list[str]) -> str:
    """``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def anywhere(result: ResultData, name: str) -> str:
    """That a history is meant at any time, and a curve at any value of its axis; empty for a number."""
    axis = result.axis_of(name)
    return "" if axis is None else " at any time" if axis == TIME.name else f" at any {axis}"


def inputs_named(result: ResultData) -> str:
    """The inputs that vary by name, or how many they are, and what was held fixed."""
    entries = result.facts.inputs
    held = [f"{name} = {entry.text}" for name, entry in entries.items() if entry.kind == "fixed"]
    names = varied(result)
    at = f", with {listed(held)} held fixed" if 0 < len(held) <= NAMED else f", with {len(held)} others held fixed" if held else ""
    if not names:
        return "the inputs"
    return f"the {len(names)} inputs{at}" if len(names) > NAMED else f"{listed(names)}{at}"


def varied(result: ResultData) -> list[str]:
    """Names of the inputs that are not held fixed."""
    return [name for name, entry in result.facts.inputs.items() if not entry.binds and entry.kind != "fixed"]


def runs_said(result: ResultData) -> str:
    """How many runs were ok."""
    count = result.facts.runs_ok
    return f"{result.runs.sizes.get('run', 0) if count is None else count:,}"


def runs_reaching(result: ResultData) -> str:
    """The runs whose least and greatest values are those that were reached: ``5,904 runs``, or ``280 runs of step 0.001``."""
    own = result.facts_of(OfModel)
    return f"{own.scatter_runs:,} runs of {own.said}" if own.scatter_of else f"{runs_said(result)} runs"
