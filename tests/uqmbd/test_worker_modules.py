"""A worker has imported what the method's reduction needs before its first batch comes."""

import pickle
import subprocess
import sys

import pytest

from uqmbd.outcomes import OutputInfo

from .method_gallery import FIRST, NAMED, TIME

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
    sent = []
    for name in FIRST.values():
        case = NAMED[name]
        reduce = getattr(case.method.start(case.inputs, info, TIME, 1), "reduce", None)
        if reduce is not None:
            sent.append((name, case.method.worker_modules, pickle.dumps(reduce)))
    assert len(sent) >= 2
    done = subprocess.run([sys.executable, "-c", LOOK], input=pickle.dumps(sent), capture_output=True, timeout=300, check=True)
    assert done.stdout.decode().splitlines() == [f"{name}: nothing" for name, *_ in sent]


@pytest.mark.slow
@pytest.mark.parametrize("campaign", ["workers = 1", "workers = 0\ntimeout = 60.0"])
def test_a_package_beside_the_study_file_needs_no_path(campaign, tmp_path):
    """Named as package.module:function; the command is called in another folder, and no variable names the package's."""
    package, elsewhere = tmp_path / "home" / "crankmodels", tmp_path / "elsewhere"
    package.mkdir(parents=True)
    elsewhere.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "numbers.py").write_text("TWICE = 2.0\n", encoding="utf-8")
    (package / "late.py").write_text("ONE = 1.0\n", encoding="utf-8")
    (package / "model.py").write_text(
        "from crankmodels.numbers import TWICE\n\ndef f(a):\n    import crankmodels.late as late\n    return {'y': TWICE * a + late.ONE}\n",
        encoding="utf-8",
    )
    text = '[study]\nname = "s"\nmodel = "crankmodels.model:f"\n[inputs.a]\ninterval = [1.0, 2.0]\n[outputs]\ninclude = ["y"]\n'
    text += f'[method]\ntype = "chebyshev"\ndegree = 2\n[campaign]\n{campaign}\n'
    (tmp_path / "home" / "s.toml").write_text(text, encoding="utf-8")
    words = [sys.executable, "-m", "uqmbd.cli", "run", "../home/s.toml", "--no-report"]
    done = subprocess.run(words, cwd=elsewhere, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 failed" in done.stdout
