"""Cross-sections of beams and cables: plain numbers."""

from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError, check_number


@dataclass(frozen=True, eq=False)
class Section:
    """Cross-section; every number may be an array over samples.

    Parameters
    ----------
    area : A in m²; a 2 mm wire has 3.1e-6.
    second_moment : I in m⁴, of bending in the plane of a planar system (about z); a 2 mm wire has 7.9e-13.
    second_moment_y : of bending out of that plane (about y); the same as `second_moment` if left out.
    torsion : torsion constant in m⁴; the sum of both second moments (right for round sections only) if left out.
    shear : shear factor k of the area in the plane of a planar system (along y); 5/6 if left out.
    shear_z : out of that plane (along z); the same as `shear` if left out.

    Notes
    -----
    The shear factors of `rectangle` and `circle` are Cowper's (1966, J. Appl. Mech. 33, 335-340) for a Poisson's ratio of zero.

    Examples
    --------
    >>> import flexmbd as fm
    >>> wire = fm.Section.circle(1e-3)
    >>> f"{wire.area:.3e}", f"{wire.second_moment:.3e}"  # m², m⁴
    ('3.142e-06', '7.854e-13')
    """

    area: object
    second_moment: object
    second_moment_y: object = None
    torsion: object = None
    shear: object = None
    shear_z: object = None

    def __post_init__(self):
        def keep(key, value):
            object.__setattr__(self, key, check_number("section", key, value, positive=True))

        keep("area", self.area)
        keep("second_moment", self.second_moment)
        keep("second_moment_y", self.second_moment if self.second_moment_y is None else self.second_moment_y)
        keep("torsion", self.second_moment + self.second_moment_y if self.torsion is None else self.torsion)
        keep("shear", 5.0 / 6.0 if self.shear is None else self.shear)
        keep("shear_z", self.shear if self.shear_z is None else self.shear_z)

    @classmethod
    def rectangle(cls, width, height):
        """Full rectangle: `height` in the plane of a planar system, `width` across it, in m.

        The torsion constant is Saint-Venant's series (Timoshenko and Goodier 1970, section 109).
        """
        width, height = (check_number("section", key, x, positive=True) for key, x in (("width", width), ("height", height)))
        a, b = np.minimum(width, height), np.maximum(width, height)
        series = sum(np.tanh(0.5 * n * np.pi * b / a) / n**5 for n in range(1, 40, 2))
        torsion = a**3 * b * (1.0 - 192.0 * a / (np.pi**5 * b) * series) / 3.0
        return cls(width * height, width * height**3 / 12.0, height * width**3 / 12.0, torsion)

    @classmethod
    def circle(cls, radius, inner=0.0):
        """Full circle, or tube with an `inner` radius, in m."""
        radius, inner = check_number("section", "radius", radius, positive=True), check_number("section", "inner", inner)
        if np.any(np.less(inner, 0.0)) or np.any(np.greater_equal(inner, radius)):
            raise ModelError(f"section: inner is {inner!r}; it must be at least zero and below the radius {radius!r}")
        moment, hollow = 0.25 * np.pi * (radius**4 - inner**4), (inner / radius) ** 2
        shear = 6.0 * (1.0 + hollow) ** 2 / (7.0 * (1.0 + hollow) ** 2 + 20.0 * hollow)
        return cls(np.pi * (radius**2 - inner**2), moment, moment, 2.0 * moment, shear)
