"""What the benchmarks share: one thread, alternating repetitions, the last line. Import it before numpy.

With ``--record`` the last line is also kept in ``benchmarks/records/<script>.jsonl``, with date, machine, load and commit, for
``python docs/benchmarks.py`` to draw; the environment variable ``UQMBD_BENCHMARK_RECORDS`` names another folder, and records without
the option.
"""

import datetime
import importlib.util
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

ENVIRONMENT = dict(os.environ)  # for commands that are measured as a user starts them
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"

ROOT = Path(__file__).resolve().parents[1]
UQMBD = str(Path(sys.executable).with_name("uqmbd"))
TURN = 0.012  # s, at 5000 rpm
RECORDS = os.environ.get("UQMBD_BENCHMARK_RECORDS", "")
LOAD = os.getloadavg()[0]  # of others: nothing of ours has run yet
if "--record" in sys.argv:
    sys.argv.remove("--record")
    RECORDS = RECORDS or str(ROOT / "benchmarks" / "records")


def crank_model():
    """The module of the slider-crank studies."""
    path = ROOT / "studies" / "slider_crank_clearance" / "model.py"
    specification = importlib.util.spec_from_file_location("slider_crank_model", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def worn_samples(count, seed=1):
    """Random samples of the harsh study's box; the first is the one that the peers run."""
    import numpy as np

    box = {"clearance": (0.1e-3, 0.5e-3, 0.5e-3), "restitution": (0.85, 0.95, 0.9), "friction": (0.01, 0.05, 0.03)}
    random = np.random.default_rng(seed)
    samples = {name: random.uniform(low, high, count) for name, (low, high, _) in box.items()}
    for name, (*_, nominal) in box.items():
        samples[name][0] = nominal
    return samples


def write_study(source, folder, name="study.toml", **sections):
    """Copy a study file with changed sections (`method={"samples": 10}`) into a folder; the model stays where it is."""
    import tomllib

    from uqmbd.spec.toml import write_toml

    document = tomllib.loads(source.read_text(encoding="utf-8"))
    path, _, function = document["study"]["model"].rpartition(":")
    document["study"]["model"] = f"{(source.parent / path).resolve()}:{function}"
    for section, changes in sections.items():
        document[section] |= changes
    target = Path(folder) / name
    target.write_text(write_toml(document), encoding="utf-8")
    return target


def peer(python, script, *arguments):
    """What a script in `peers/` prints under the Python that has the peer; None, said in a line, if it is not installed there."""
    command = [python, str(ROOT / "benchmarks" / "peers" / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if "ModuleNotFoundError" in done.stderr:
        missing = done.stderr.strip().splitlines()[-1].split("'")[1]
        remedy = 'pip install -e ".[benchmarks,reference]", or name another with --peer-python'
        print(f"{missing} is not installed in {python}: {remedy}", flush=True)
        return None
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def alone(script, *arguments, cache):
    """What a script prints in its last line in a process of its own, with that folder for machine code."""
    command, environment = [sys.executable, script, *map(str, arguments)], ENVIRONMENT | {"FLEXMBD_CACHE_DIR": str(cache)}
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def least(works, repeats):
    """Least seconds of each work, the works taking turns; a float that a work returns is its own count of seconds."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(repeats):
        for key, work in works.items():
            start = time.perf_counter()
            told = work()
            best[key] = min(best[key], told if isinstance(told, float) else time.perf_counter() - start)
    return best


def report(name, ratio, target, ours, theirs, unit, notes):
    """The last line."""
    line = {"name": name, "ratio": ratio, "target": target, "ours": ours, "theirs": theirs, "unit": unit, "notes": notes}
    print(json.dumps(line, default=float), flush=True)
    if RECORDS:
        path = Path(RECORDS) / f"{Path(sys.argv[0]).stem}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line | made(), default=float, ensure_ascii=False) + "\n")


def made():
    """When and where a record was made, by which sources, and how busy the machine was before."""
    words = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    model = next((line.partition(":")[2].strip() for line in words.splitlines() if line.startswith("model name")), platform.machine())
    done = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True)
    machine = f"{os.cpu_count()} cores of {model}, Python {platform.python_version()}"
    return {"date": datetime.date.today().isoformat(), "machine": machine, "load": round(LOAD, 1), "commit": done.stdout.strip()}


def short(value, digits=4):
    """A number of few digits, for tables and notes."""
    return float(f"{value:.{digits}g}")
