"""Hertz: elastic point contact."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.contact.laws.power_law import PowerLaw


@dataclass(frozen=True, eq=False)
class Hertz(PowerLaw):
    r"""Elastic contact ``F = K delta**n``, n = 3/2 (H. Hertz 1881, J. reine angew. Math. 92, 156-171).

    Units: delta in m, F in N, K in N/m^n. Valid for contact areas small against the radii and elastic materials; an
    impact returns all its energy (e = 1) and lasts 2.9432751843247 times largest penetration over approach speed.
    See ``PowerLaw`` for the parameters.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -10.0))
    >>> ball = s.body("ball", mass=1.0, inertia=0.01, position=(0.0, 0.0999))
    >>> floor = s.add(fm.DiscPlane("floor", ball.centre, s.ground.at(0.0, 0.0), 0.1, fm.Hertz(1e8)))
    >>> e = fm.Equations(s)
    >>> round(float(e.output("floor.normal", e.initial()[0])), 6)  # N, 0.1 mm deep
    100.0
    """

    name: ClassVar[str] = "hertz"
    reference: ClassVar[str] = "Hertz 1881, J. reine angew. Math. 92, 156-171"
