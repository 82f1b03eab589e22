"""Contact problems solved by Siconos, run by the Python that has it: ``siconos_contacts.py IN.npz OUT.npz``."""

import sys

import numpy as np
import siconos.numerics as sn

given = np.load(sys.argv[1])
found = {}
for name in sorted({key.partition(":")[0] for key in given.files}):
    matrix, free, friction = (np.ascontiguousarray(given[f"{name}:{key}"]) for key in ("matrix", "free", "friction"))
    problem = sn.FrictionContactProblem(3, len(friction), sn.NumericsMatrix(matrix), free.ravel(), friction)
    for solver, id_ in (("nsgs", sn.SICONOS_FRICTION_3D_NSGS), ("newton", sn.SICONOS_FRICTION_3D_NSN_AC)):
        options = sn.SolverOptions(id_)
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER], options.dparam[sn.SICONOS_DPARAM_TOL] = 20_000, 1e-12
        reaction, velocity = np.zeros(free.size), np.zeros(free.size)
        status = sn.fc3d_driver(problem, reaction, velocity, options)
        found[f"{name}:{solver}"] = reaction.reshape(free.shape)
        found[f"{name}:{solver}:status"] = status
np.savez(sys.argv[2], **found)
