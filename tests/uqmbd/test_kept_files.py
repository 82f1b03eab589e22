"""Files of surrogates that version 0.1.0 wrote, one of each kind, and what they said there (`known.json`)."""

import json
from pathlib import Path

import numpy as np
import pytest

from uqmbd.surrogates.opening import open_surrogate

FOLDER = Path(__file__).parent / "kept_surrogates"
KNOWN = json.loads((FOLDER / "known.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", KNOWN)
def test_it_says_what_it_said(kind, tmp_path):
    """Values, slopes, bounds and spread; also when it is written again."""
    known = KNOWN[kind]
    at = {name: np.array(values) for name, values in known["at"].items()}
    for surrogate in (first := open_surrogate(FOLDER / f"{kind}.json"), open_surrogate(first.save(tmp_path / "again.json"))):
        assert repr(surrogate) == known["repr"]
        rounding = 1e-9 if kind == "kriging" else 1e-12  # its system of equations is solved anew; another processor sums in another order
        assert surrogate(**at) == pytest.approx(np.array(known["value"]), rel=rounding)
        for name, slope in known["gradient"].items():
            assert surrogate.gradient(**at)[name] == pytest.approx(np.array(slope), rel=1e-9, abs=1e-12)
        if known["bounds"]:
            assert surrogate.bounds() == pytest.approx(np.array(known["bounds"]), rel=1e-9)
        if "std" in known:
            assert surrogate.std(**at) == pytest.approx(np.array(known["std"]), rel=1e-6)


def test_written_again_it_is_the_same_file(tmp_path):
    for kind in KNOWN:
        file = FOLDER / f"{kind}.json"
        assert json.loads(open_surrogate(file).save(tmp_path / "again.json").read_text()) == json.loads(file.read_text())
