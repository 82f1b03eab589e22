"""Pinocchio's articulated-body algorithm on a robot and its states; prints one JSON object, for `trees.py`.

`pinocchio_aba.cpp` is compiled twice and kept: "native" from the headers that the wheel brings, with the instructions of this machine (two
minutes of the processor), and "wheel" with the library that the wheel brings. "python" is one call after another of ``pinocchio.aba``.
What there is no compiler for is left out, and told.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pinocchio as pin

SOURCE = Path(__file__).with_name("pinocchio_aba.cpp")
FLAGS = ["-w", "-std=c++17", "-O3", "-DNDEBUG", "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30"]
FLAGS += ["-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"]
JOINTS = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ, "free": pin.JointModelFreeFlyer}


def program(way, cache):
    """File of a program, compiled if it is not there; a sentence if it cannot be."""
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    prefix = next((Path(x) / "cmeel.prefix" for x in sys.path if (Path(x) / "cmeel.prefix" / "include" / "pinocchio").is_dir()), None)
    if compiler is None:
        return None, "there is no C++ compiler here (c++, g++, or the one that CXX names)"
    if prefix is None or not (prefix / "include" / "eigen3").is_dir():
        return None, "the headers of pinocchio and Eigen are missing: pip install pin cmeel-eigen"
    libraries = ["-L" + str(prefix / "lib"), "-Wl,-rpath," + str(prefix / "lib"), "-lpinocchio_default"]
    before, behind = {"native": (["-march=native"], []), "wheel": (["-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION"], libraries)}[way]
    includes = ["-I" + str(prefix / "include"), "-I" + str(prefix / "include" / "eigen3")]
    machine = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")), "")
    stamp = "\n".join([SOURCE.read_text(), pin.__version__, str(prefix), compiler, machine, *FLAGS, *before])
    file = cache / f"pinocchio_aba_{way}_{hashlib.sha256(stamp.encode()).hexdigest()[:16]}"
    if not file.exists():
        cache.mkdir(parents=True, exist_ok=True)
        made = file.with_suffix(f".{os.getpid()}")
        command = [compiler, *FLAGS, *before, *includes, str(SOURCE), "-o", str(made), *behind]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            return None, f"{compiler} does not compile {SOURCE.name}: {done.stderr.strip().splitlines()[-1]}"
        made.rename(file)
    return file, ""


def given(robot, passes):
    """A robot and its states as the programs read them."""
    rows = [(len(robot["links"]), len(robot["states"]), passes), robot["gravity"]]
    for link in robot["links"]:
        rows += [(link["parent"], link["joint"]), *link["rotation"], link["offset"], (link["mass"],), link["centre"], *link["inertia"]]
    rows += [state[key] for state in robot["states"] for key in ("q", "v", "forces")]
    return "\n".join(" ".join(x if isinstance(x, str) else repr(x) for x in row) for row in rows) + "\n"


def by_python(robot, passes):
    """The same by the wheel's functions."""
    model = pin.Model()
    model.gravity.linear = np.array(robot["gravity"])
    for i, link in enumerate(robot["links"]):
        place = pin.SE3(np.array(link["rotation"]), np.array(link["offset"]))
        joint = model.addJoint(link["parent"] + 1, JOINTS[link["joint"]](), place, f"joint{i}")
        model.appendBodyToJoint(joint, pin.Inertia(link["mass"], np.array(link["centre"]), np.array(link["inertia"])), pin.SE3.Identity())
    data, states = model.createData(), [[np.array(state[key]) for key in ("q", "v", "forces")] for state in robot["states"]]
    best = float("inf")
    for _ in range(passes):
        start = time.process_time()
        for state in states:
            pin.aba(model, data, *state)
        best = min(best, time.process_time() - start)
    return best / len(states), [pin.aba(model, data, *state).tolist() for state in states]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("robot", type=Path, help="JSON: gravity, links, states")
    parser.add_argument("cache", type=Path, help="folder where programs are kept")
    parser.add_argument("--passes", type=int, default=20)
    options = parser.parse_args()
    robot = json.loads(options.robot.read_text(encoding="utf-8"))
    seconds, accelerations = by_python(robot, options.passes)
    found = {"version": pin.__version__, "seconds": {"python": seconds}, "accelerations": {"python": accelerations}, "left_out": {}}
    for way in ("native", "wheel"):
        file, reason = program(way, options.cache)
        if file is None:
            found["left_out"][way] = reason
            continue
        done = subprocess.run([str(file)], input=given(robot, options.passes), capture_output=True, text=True, check=True)
        first, *rows = done.stdout.splitlines()
        found["seconds"][way] = float(first) / len(robot["states"])
        found["accelerations"][way] = [[float(x) for x in row.split()] for row in rows]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
