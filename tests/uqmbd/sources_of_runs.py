"""The sources that give runs their meaning, and their hashes when `FORMAT_OF_RUNS` was last looked at.

    python tests/uqmbd/sources_of_runs.py        writes the hashes anew

Whoever changes one of these modules decides: would the same model give other numbers, or partials that the code of before reads as
something else? Then raise `FORMAT_OF_RUNS` in `uqmbd/study/identity.py` (stored runs are then refused, and done again); if not, leave it.
Either way write the hashes anew.
"""

import json
from pathlib import Path

from uqmbd.simulators.own import text_digest
from uqmbd.study.identity import FORMAT_OF_RUNS

FILE = Path(__file__).with_suffix(".json")
ROOT = Path(__file__).parents[2] / "uqmbd"
SOURCES = (
    "outcomes.py",
    *(f"simulators/{name}.py" for name in "command curve derived events filling formula function lanes outside vectorized windows".split()),
    "campaign/worker.py",
    "methods/probabilistic/montecarlo_reduce.py",
    "methods/sensitivity/reduce.py",
    *(f"analysis/{name}.py" for name in "base/columns statistics/moments sensitivity/pick_freeze".split()),
)


def hashes() -> dict:
    """Of the sources as they are now; comments and blank lines do not count."""
    return {"format": FORMAT_OF_RUNS, "sources": {name: text_digest((ROOT / name).read_text(encoding="utf-8"))[:16] for name in SOURCES}}


def renewed() -> str:
    """The text of the file of hashes."""
    return json.dumps(hashes(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(renewed(), encoding="utf-8")
