"""Lyapunov spectra by pynamicalsys (GPL-3, so it runs in an interpreter of its own), for `exponents_peer.py`: prints one JSON object."""

import argparse
import json
import time
from importlib.metadata import version

import numpy as np
from pynamicalsys import ContinuousDynamicalSystem, DiscreteDynamicalSystem

MAPS = {"henon": "henon map", "standard": "standard map"}


def main():
    """Seconds and spectra of each case."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", required=True, help="JSON: of each case steps, transient, start, parameters (runs, p)")
    found = {}
    for name, case in json.loads(parser.parse_args().cases).items():
        runs, start = np.array(case["parameters"]), np.array(case["start"])
        if name in MAPS:
            system = DiscreteDynamicalSystem(model=MAPS[name])
            # what is discarded counts in their total
            settings = {"total_time": case["steps"] + case["transient"], "transient_time": case["transient"]}
        else:
            system = ContinuousDynamicalSystem(model="lorenz system")
            system.integrator("rk4", time_step=case["dt"])
            settings = {"total_time": case["time"] + case["before"], "transient_time": case["before"]}
        system.lyapunov(start, parameters=runs[0], **settings)  # compiles
        seconds = []
        for _ in range(case["repeats"]):
            began = time.process_time()
            values = [np.sort(np.atleast_1d(system.lyapunov(start, parameters=row, **settings)))[::-1].tolist() for row in runs]
            seconds.append(time.process_time() - began)
        found[name] = {"seconds": min(seconds), "values": values}
    print(json.dumps({"version": version("pynamicalsys"), "cases": found}))


main()
