"""The time loop, the schemes and states in plain Python (``NUMBA_DISABLE_JIT=1``) do what the compiled ones do.

Only what Numba compiles is meant: a model's equations are machine code in any case. Products are not fused with sums in plain Python, so
results differ in their last digits.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from .plain_python import CASES

SCRIPT = Path(__file__).with_name("plain_python.py")
LOOSE = {
    "impact": 1e-7,
    "states": 1e-7,
    "rosenbrock": 1e-7,
    "generalized_alpha": 1e-7,
    "implicit impact": 1e-5,
    "kept factors": 1e-6,
    "direct library": 1e-6,
}
FAST = ("dormand_prince", "impact", "generalized_alpha", "states", "ggl", "solved film", "grains", "rods")


def interpreted(*names):
    """Results of cases in a process without compilation."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, str(SCRIPT), *names], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def plain():
    """The quick ones, of one process."""
    return interpreted(*FAST)


def compare(name, found):
    wanted = CASES[name]()
    assert found.keys() == wanted.keys()
    for key, value in wanted.items():
        size = max(np.abs(value).max(), 1e-3)
        np.testing.assert_allclose(found[key], value, rtol=0, atol=LOOSE.get(name, 1e-9) * size, err_msg=key)


@pytest.mark.parametrize("name", FAST)
def test_plain_python_does_what_compiled_code_does(name, plain):
    compare(name, plain[name])


@pytest.mark.slow
def test_all_other_schemes_and_kept_factors_too():
    rest = [name for name in CASES if name not in FAST]
    for name, found in interpreted(*rest).items():
        compare(name, found)
