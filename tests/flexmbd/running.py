"""One call to run a model in tests: outputs of a batch that must have gone well."""

import numpy as np

import flexmbd as fm


def simulate(build, outputs, *, end, points=2, samples=None, lanes=4, **settings):
    """Trajectory of a batch all of whose runs ended well."""
    samples = {k: np.atleast_1d(np.asarray(v, float)) for k, v in (samples or {}).items()}
    trajectory = fm.run(build, samples, end=end, points=points, outputs=outputs, settings={"lanes": lanes, **settings})
    assert not trajectory.status.any(), [m for m in trajectory.message if m]
    return trajectory


def column(trajectory, sample=0):
    """Outputs of one sample by name."""
    return {name: x[sample] for name, x in trajectory.outputs.items()}
