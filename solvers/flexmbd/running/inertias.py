"""Rigid bodies whose inertia is small beside what their masses and lengths make: where that spoils the numbers, and words that say so."""

import numpy as np

from flexmbd.space import AXES

TINY = 1e-9  # of a body's mass times the square of the mechanism's size: an inertia with which rounding spoils accelerations
CLEAR = 100.0  # times the shift of augmented rows: an inertia, beside mass times lever squared, from which on rows hold to rounding


def smallest_inertia(system, size, sample):
    """Words on the rigid body whose inertia is the smallest beside its mass and the mechanism's size (m); "" if none is tiny."""
    numbers, found = system.parameters().of_samples(sample), []
    for body in system.bodies:
        if moments := _moments(body, numbers):
            least, mass = float(min(moments)), numbers[f"{body.name}.mass"]
            found.append((least / (mass * size**2), body.name, least, mass))
    share, name, least, mass = min(found, default=(1.0, "", 0.0, 0.0))
    if not share < TINY:
        return ""
    return (
        f"body '{name}' has an inertia of {least:.3g} kg m², {share:.1g} of its mass times the square of the mechanism's size "
        f"({size:.3g} m): rounding spoils its angular acceleration; give it at least {TINY * mass * size**2:.2g} kg m², which changes no "
        "motion"
    )


def loosely_held(system, shift, count):
    """Samples in which augmented rows would hold a rigid body too late, because its inertia is small.

    A row's compliance at a lever r is 1/m along r and r²/J across it. Their ratio is the squared singular value of the rows, which has
    to be well above the shift of augmented rows (`flexmbd.equations.index1`); else the body's centre moves as if nothing held it.

    Parameters
    ----------
    system : System or Stack
    shift : float
        Of the rows (setting `constraint_shift`); 0 if they are independent.
    count : int
        Samples.

    Returns
    -------
    list of str
        A sentence for each sample; "" where all bodies are held.
    """
    said, numbers = [""] * count, system.parameters()
    for body in system.bodies if shift else ():
        if not (_moments(body, numbers) and body.points):
            continue
        lever = np.max([sum(numbers[f"{body.name}.{key}.{axis}"] ** 2 for axis in AXES[: system.dimension]) for key in body.points], axis=0)
        with np.errstate(divide="ignore"):
            share = np.broadcast_to(radius_of_gyration(body, numbers) ** 2 / lever, count)
        for i in np.flatnonzero(share < CLEAR * shift):
            said[i] = (
                f"body '{body.name}' has an inertia of {share[i]:.1g} of its mass times its lever squared: constraints = 'augmented' with "
                f"constraint_shift = {shift:.3g} would not hold its centre; give it at least {CLEAR * shift:.1g} of that, take a "
                f"constraint_shift of {share[i] / CLEAR:.1g}, or independent constraints"
            )
    return said


def radius_of_gyration(body, numbers):
    """The largest one of a rigid body, in m; 0 of anything else."""
    moments = _moments(body, numbers)
    return np.sqrt(np.max(np.broadcast_arrays(*moments), axis=0) / numbers[f"{body.name}.mass"]) if moments else 0.0


def _moments(body, numbers):
    return [x for key in ("", ".xx", ".yy", ".zz") if (x := numbers.get(f"{body.name}.inertia{key}")) is not None]
