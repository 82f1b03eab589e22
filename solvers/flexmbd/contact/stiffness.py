"""Stiffness of contacts from materials and radii."""

import numpy as np

from flexmbd.errors import ModelError, check_range
from flexmbd.material import Material
from flexmbd.parameters import Number, number


def contact_modulus(material_i: Material, material_j: Material) -> Number:
    """E* of a pair, ``1 / E* = (1 - nu_i^2) / E_i + (1 - nu_j^2) / E_j``, Pa (Johnson 1985, section 4.2)."""
    return 1.0 / (material_i.contact_compliance + material_j.contact_compliance)


def hertz_sphere_stiffness(R_i: Number, R_j: Number, material_i: Material, material_j: Material, *, conformal: bool) -> Number:
    """K of ``F = K delta**1.5`` between two spherical surfaces, N/m^1.5 (Lankarani and Nikravesh 1990, after Hertz).

    ``K = 4 / (3 (s_i + s_j)) sqrt(R_i R_j / (R_i + R_j))`` with ``s = (1 - nu^2) / E``; inside a socket, or for a journal
    in its bearing, the denominator is ``R_i - R_j``, the clearance.

    Parameters
    ----------
    R_i, R_j : radii, m; ``conformal``: R_i is the socket (bearing), R_j < R_i the ball (journal).
    material_i, material_j : their materials.
    conformal : True if j lies inside i.

    Examples
    --------
    >>> import flexmbd as fm
    >>> steel = fm.material("steel")
    >>> f"{fm.hertz_sphere_stiffness(0.01005, 0.01, steel, steel, conformal=True):.3e}"  # N/m^1.5, in a socket with 50 µm of play
    '2.150e+11'
    >>> f"{fm.hertz_sphere_stiffness(0.01, 0.01, steel, steel, conformal=False):.3e}"  # two balls
    '1.072e+10'
    """
    owner = "hertz_sphere_stiffness"
    check_range(owner, "R_i", R_i, above=0.0)
    check_range(owner, "R_j", R_j, above=0.0)
    gap = np.subtract(R_i, R_j) if conformal else np.add(R_i, R_j)
    if np.any(gap <= 0.0):
        index = np.argwhere(np.atleast_1d(gap) <= 0.0)[0]
        place = f" (sample {index[0]})" if np.ndim(gap) else ""
        raise ModelError(
            f"the clearance R_i - R_j is {np.atleast_1d(gap)[tuple(index)]:g} m{place}",
            element=owner,
            remedy="a conformal contact needs R_i above R_j",
        )
    radius = np.multiply(R_i, R_j) / gap
    return number(4.0 / 3.0 * contact_modulus(material_i, material_j) * np.sqrt(radius))


def hertz_plane_stiffness(R: Number, material_sphere: Material, material_plane: Material) -> Number:
    """K of ``F = K delta**1.5`` between a sphere of radius R (m) and a plane, N/m^1.5: the limit R_j to infinity."""
    check_range("hertz_plane_stiffness", "R", R, above=0.0)
    return number(4.0 / 3.0 * contact_modulus(material_sphere, material_plane) * np.sqrt(R))
