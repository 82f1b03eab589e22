"""Make the folders of results that tests take as written by an earlier version: ``PYTHONPATH=<its checkout> python make.py [PREFIX]``.

They are made by the code on the path, all in one folder of a fixed name, which is packed into ``<name of the checkout's commit>.tar.xz``
beside this file and removed. Their studies lie in it too, so that a folder is gone on with by its own file, or run again by the study.

With a prefix, ``mm_``, they are the studies whose names begin with it, and so is the name of the archive; these are in no other.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).parent
PLACE = Path("/tmp/uqmbd_0_1_0")  # is in what the folders say of themselves, and is not there when they are tested

MODEL = """
import numpy as np

MASS = 2.0


def numbers(k, c):
    return {"frequency": float(np.sqrt(k / MASS)), "damping": c * c / k}


def spring(k, c, time):
    x = np.exp(-c * time) * np.cos(np.sqrt(k / MASS) * time)
    return {"x": x, "peak": float(abs(x[len(x) // 2 :]).max())}
"""
INTERVALS = """
[inputs.k]
interval = [9.0, 11.0]
unit = "N/mm"

[inputs.c]
interval = [0.1, 0.2]
"""
RANDOM = """
[inputs.k]
distribution = { type = "normal", mean = 10.0, std = 0.3 }
unit = "N/m"

[inputs.c]
distribution = { type = "uniform", lower = 0.1, upper = 0.2 }
"""
MIXED = """
[inputs.k]
interval = [9.0, 11.0]
unit = "N/m"

[inputs.c]
distribution = { type = "uniform", lower = 0.1, upper = 0.2 }
"""
TIME = "[time]\nend = 2.0\npoints = 9\n"
HISTORY = '[outputs]\ninclude = ["x", "peak", "x:rms"]\n'
NUMBERS = '[outputs]\ninclude = ["frequency", "damping"]\n'
RANDOMLY = '[method]\ntype = "montecarlo"\nsamples = 24\n'
STUDIES = {
    "chebyshev": ("numbers", INTERVALS, NUMBERS, '[method]\ntype = "chebyshev"\ndegree = 3\n', ""),
    "montecarlo": ("spring", RANDOM, TIME + HISTORY, RANDOMLY, ""),
    "scalars": ("spring", RANDOM, TIME + HISTORY, RANDOMLY, 'store = "scalars"\n'),
    "pce": ("numbers", RANDOM, NUMBERS, '[method]\ntype = "pce"\ndegree = 2\nsamples = 18\n', ""),
    "mixed": ("numbers", MIXED, NUMBERS, '[method]\ntype = "mixed"\nsamples = 24\n', ""),
    "several": (
        "numbers",
        RANDOM,
        NUMBERS,
        '[[method]]\ntype = "pce"\ndegree = 2\nsamples = 18\n\n[[method]]\nlabel = "sampled"\ntype = "montecarlo"\nsamples = 24\n',
        "",
    ),
}
STUDIES |= {
    "mm_chebyshev": (
        "numbers",
        INTERVALS.replace("9.0, 11.0", "0.07, 0.19").replace("N/mm", "mm"),
        NUMBERS,
        '[method]\ntype = "chebyshev"\ndegree = 3\n',
        "",
    ),
    "mm_montecarlo": ("numbers", RANDOM.replace("N/m", "mm") + 'unit = "mm"\n', NUMBERS, RANDOMLY, ""),
}  # whose numbers in SI had other last bits before they were converted with their decimal digits
KILLED = {"half": "montecarlo", "half_scalars": "scalars", "half_chebyshev": "chebyshev"}  # after two pieces, in the middle of the third
BATCH = 4
COMMAND = "import sys; from uqmbd.cli import main; sys.argv = ['uqmbd', 'run', sys.argv[1], '--out', sys.argv[2]]; main()"
KILL = """
import os
from uqmbd.campaign.campaign import Campaign
commit, left = Campaign.commit, [3]
def counted(self, *arguments):
    left[0] -= 1
    left[0] or os._exit(9)
    commit(self, *arguments)
Campaign.commit = counted
"""


def study(name: str) -> Path:
    """Write a study and its model; the file of it."""
    function, inputs, outputs, method, campaign = STUDIES[name]
    file = PLACE / f"{name}.toml"
    head = f'[study]\nname = "{name}"\nmodel = "model.py:{function}"\n'
    file.write_text(f"{head}{inputs}\n{outputs}\n{method}\n[campaign]\nworkers = 0\nseed = 3\nbatch = {BATCH}\n{campaign}")
    return file


def run(name: str, folder: str, before: str = "") -> int:
    """Run a study by the command in a process of its own, `before` executed first."""
    command = [sys.executable, "-c", before + COMMAND, str(study(name)), str(PLACE / folder)]
    return subprocess.run(command, cwd=PLACE, check=False, stdout=subprocess.DEVNULL).returncode


def main() -> None:
    import uqmbd

    code = Path(uqmbd.__file__).parents[1]
    prefix = next(iter(sys.argv[1:]), "")
    commit = (
        prefix
        + subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=code, capture_output=True, text=True, check=True).stdout.strip()
    )
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir()
    (PLACE / "model.py").write_text(MODEL)
    for name in STUDIES:
        assert name.startswith("mm_") != (prefix == "mm_") or run(name, name) == 0, name
    for folder, name in () if prefix else KILLED.items():
        assert run(name, folder, KILL) == 9, folder
    with tarfile.open(HERE / f"{commit}.tar.xz", "w:xz", preset=9) as packed:
        for file in sorted(path for path in PLACE.rglob("*") if path.is_file()):
            if not {"tables", "figures", "report.html", "__pycache__"} & set(file.relative_to(PLACE).parts):
                entry = packed.gettarinfo(file, file.relative_to(PLACE).as_posix())
                entry.uid = entry.gid = entry.mtime = 0
                entry.uname = entry.gname = ""
                packed.addfile(entry, file.open("rb"))
    shutil.rmtree(PLACE)
    print(f"{commit}.tar.xz: {os.path.getsize(HERE / f'{commit}.tar.xz'):,} bytes")


if __name__ == "__main__":
    main()
