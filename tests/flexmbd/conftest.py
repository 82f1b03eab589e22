"""Helpers of the flexmbd tests."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def in_lanes():
    """``call(function, width, *args)``: evaluate a scalar-looking function of numbers in lanes.

    ``args`` are arrays of one length n; returns an array (n,), or (results, n) if the function returns a tuple.
    """
    from numba import config, njit

    from flexmbd.lanes.vector import OPTIONS

    from .lane_arrays import accessors

    if config.DISABLE_JIT:
        pytest.skip("lanes exist only compiled")
    compiled = {}

    def build(function, width, count, results):
        ld2, st2 = accessors(width)
        loads = ", ".join(f"ld2(a, {k}, i)" for k in range(count))
        stores = [f"st2(out, {k}, i, r[{k}])" for k in range(results)] or ["st2(out, 0, i, r)"]
        body = [f"r = f({loads})", *stores]
        source = "def run(a, out):\n    for i in range(a.shape[1]):\n" + "".join(f"        {line}\n" for line in body)
        space = {"f": function, "ld2": ld2, "st2": st2}
        exec(source, space)
        return njit(**OPTIONS)(space["run"])

    def call(function, width, *args, results=0):
        args = np.broadcast_arrays(*(np.asarray(a, dtype=float) for a in args))
        n = args[0].size
        blocks = -(-n // width)
        padded = np.empty((len(args), blocks * width))
        for row, a in zip(padded, args, strict=True):
            row[:n], row[n:] = a.ravel(), a.ravel()[-1]
        packed = padded.reshape(len(args), blocks, width)
        out = np.empty((max(results, 1), blocks, width))
        key = (function, width, len(args), results)
        if key not in compiled:
            compiled[key] = build(function, width, len(args), results)
        compiled[key](packed, out)
        flat = out.reshape(out.shape[0], -1)[:, :n]
        return flat if results else flat[0]

    return call
