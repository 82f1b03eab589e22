"""A worker has imported what the method's reduction needs before its first batch comes."""

import pickle
import subprocess
import sys

import numpy as np

from uqmbd.outcomes import OutputInfo

from .method_gallery import FIRST, NAMED

LOOK = """
import importlib, pickle, sys
import uqmbd.campaign.worker
for name, modules, reduction in pickle.load(sys.stdin.buffer):
    for module in modules:
        importlib.import_module(module)
    before = set(sys.modules)
    pickle.loads(reduction)
    new = sorted(module for module in set(sys.modules) - before if module.partition(".")[0] in ("uqmbd", "scipy", "numba", "xarray"))
    print(f"{name}: {', '.join(new) or 'nothing'}")
"""


def test_workers_know_the_modules_of_every_method():
    """In a fresh process nothing is left to import where the reduction arrives."""
    info = {"h": OutputInfo("m"), "s": OutputInfo("m", axis=None), "t": OutputInfo("m", axis=None)}
    time, sent = np.linspace(0.0, 1.0, 5), []
    for name in FIRST.values():
        case = NAMED[name]
        reduce = getattr(case.method.start(case.inputs, info, time, 1), "reduce", None)
        if reduce is not None:
            sent.append((name, case.method.worker_modules, pickle.dumps(reduce)))
    assert len(sent) >= 2
    done = subprocess.run([sys.executable, "-c", LOOK], input=pickle.dumps(sent), capture_output=True, timeout=300, check=True)
    assert done.stdout.decode().splitlines() == [f"{name}: nothing" for name, *_ in sent]
