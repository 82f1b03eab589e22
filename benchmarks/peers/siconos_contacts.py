"""Contact problems solved by Siconos: ``siconos_contacts.py IN.npz OUT.npz [TOLERANCE [NEWTON STEPS]]``.

Prints seconds of each as one JSON object.

Solvers: its NSGS, and its semi-smooth Newton on Alart and Curnier's functions.
"""

import json
import sys
import time

import numpy as np
import siconos.numerics as sn

given = np.load(sys.argv[1])
tolerance = float(sys.argv[3]) if len(sys.argv) > 3 else 1e-12
steps = int(sys.argv[4]) if len(sys.argv) > 4 else 20_000
found, seconds = {}, {}
for name in sorted({key.partition(":")[0] for key in given.files}):
    matrix, free, friction = (np.ascontiguousarray(given[f"{name}:{key}"]) for key in ("matrix", "free", "friction"))
    for solver, number, most in (("nsgs", sn.SICONOS_FRICTION_3D_NSGS, 20_000), ("newton", sn.SICONOS_FRICTION_3D_NSN_AC, steps)):
        problem = sn.FrictionContactProblem(3, len(friction), sn.NumericsMatrix(matrix), free.ravel(), friction)
        options = sn.SolverOptions(number)
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER], options.dparam[sn.SICONOS_DPARAM_TOL] = most, tolerance
        reaction, velocity = np.zeros(free.size), np.zeros(free.size)
        start = time.perf_counter()
        status = sn.fc3d_driver(problem, reaction, velocity, options)
        seconds[f"{name}:{solver}"] = time.perf_counter() - start
        found[f"{name}:{solver}"] = reaction.reshape(free.shape)
        found[f"{name}:{solver}:status"] = status
np.savez(sys.argv[2], **found)
print(json.dumps(seconds))
