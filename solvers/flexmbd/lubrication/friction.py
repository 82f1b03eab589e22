"""Torque of the shear in a film that fills the clearance."""

from flexmbd.lanes import kernel, sqrt


@kernel
def couette_shear(x, y, c, R, viscosity, length):
    """Torque by difference of the spins, ``2 pi mu L R^3 / (c sqrt(1 - eps^2))`` in N m s: the integral of mu R^3 L/h round the bearing."""
    k = 1.0 - (x * x + y * y) / (c * c)
    return 6.283185307179586 * viscosity * length * R * R * R / (c * sqrt(k))


@kernel
def couette_tangent(x, y, c, R, viscosity, length):
    """Derivatives of ``couette_shear`` by x and y."""
    k = 1.0 - (x * x + y * y) / (c * c)
    slope = 6.283185307179586 * viscosity * length * R * R * R / (c * sqrt(k) * c * c * k)
    return slope * x, slope * y
