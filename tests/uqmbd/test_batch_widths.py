"""A simulator with a width is handed batches that hold a multiple of it, as `docs/plugins.md` says, but for the ends of an ask."""

import textwrap

import pytest

import uqmbd as uq
from uqmbd.campaign.batches import chunk_length, multiple

SIMULATOR = """
    from pathlib import Path
    import numpy as np
    from uqmbd.outcomes import Outcomes, OutputInfo

    class Spring:
        width = {width}
        def __init__(self, model, outputs, time, settings, timeout): self.outputs = outputs
        def check(self, samples): return {{name: OutputInfo("N", axis=None) for name in self.outputs}}
        def simulate(self, samples):
            n = len(samples["a"])
            with open(Path(__file__).parent / "widths.log", "a") as log:
                log.write(f"{{n}}\\n")
            return Outcomes({{"force": samples["a"]}}, np.zeros(n, np.int8), [""] * n)
"""


def widths(tmp_path, width, method, **campaign) -> list[int]:
    """Lengths of the batches, in their order."""
    (tmp_path / "sim.py").write_text(textwrap.dedent(SIMULATOR.format(width=width)))
    kind = uq.Interval if method.name == "chebyshev" else uq.Uniform
    settings = dict(inputs={"a": kind(1.0, 2.0), "b": kind(1.0, 2.0)}, outputs=["force"], campaign={"workers": 0, **campaign})
    uq.Study(simulator=str(tmp_path / "sim.py:Spring"), method=method, name="s", **settings).run(out=tmp_path / "r", progress=False)
    return [int(line) for line in (tmp_path / "widths.log").read_text().split()]


@pytest.mark.parametrize("width", [48, 64])
def test_batches_hold_a_multiple(tmp_path, width):
    found = [n for n in widths(tmp_path, width, uq.MonteCarlo(samples=1000)) if n > 1]
    assert sum(found) >= 1000 and len(found) > 2
    assert sum(n % width != 0 for n in found) <= 1  # the last one


def test_what_the_user_says_goes_before(tmp_path):
    found = [n for n in widths(tmp_path, 64, uq.MonteCarlo(samples=100), batch=10) if n > 1]
    assert set(found) == {10}


@pytest.mark.parametrize("width", [1, 5, 16, 48, 64])
@pytest.mark.parametrize("runs", [1, 100, 10_000, 10_000_000])
def test_chunks_are_multiples_of_the_width(width, runs):
    length = chunk_length(runs, width, None, 80)
    assert length % width == 0 and width <= length <= 65536
    assert multiple(chunk_length(8 * runs, 1, None, 80), length) % width == 0
