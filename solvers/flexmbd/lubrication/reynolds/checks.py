"""What cannot be solved, told before it is tried."""

import numpy as np

from flexmbd.errors import ModelError


def check_history(cavitation, problem):
    """Raise `ModelError` if a film that keeps its mass is squeezed, or stands still, without a time step."""
    still = np.all(problem.cx == 0.0, axis=(1, 2)) & np.all(problem.store == 0.0, axis=(1, 2))
    if problem.squeezed or np.any(still):
        what = "a squeezed film" if problem.squeezed else "a film without motion"
        raise ModelError(
            f"{cavitation.name}: {what} depends on what its gaps held before",
            remedy="give step and content, or use cavitation 'reynolds'",
        )
    fed = np.any(problem.supplied, axis=(1, 2)) | np.any(problem.store > 0.0, axis=(1, 2))
    if problem.grid.sides == "open":
        fed |= problem.side > 0.0
    if problem.grid.ring and not np.all(fed):
        raise ModelError(
            f"{cavitation.name}: a ring that loses oil to its sides and gets none has no steady film",
            remedy="give a groove, a side pressure above zero, a step with content, or inlet 'widest_gap'",
        )


def check_level(problem):
    """Raise `ModelError` where nothing fixes the level of the pressure."""
    if problem.grid.ring and problem.grid.sides == "closed" and not np.all(np.any(problem.supplied, axis=(1, 2))):
        raise ModelError(
            "film: a closed ring with closed sides has no place where its pressure is known",
            remedy="use inlet 'widest_gap', a groove, or open sides",
        )
