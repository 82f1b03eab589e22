"""Films round the whole bearing: ``F = -(g V + h (E.V) E)`` with g and h functions of ``|E|^2``, E = e/c; V is the velocity."""

from flexmbd.lanes import kernel


@kernel
def full_force(x, y, u, w, g, h):
    """Force for E = (x, y), V = (u, w)."""
    along = h * (x * u + y * w)
    return -(g * u + along * x), -(g * w + along * y)


@kernel
def full_tangent(x, y, u, w, g, h, dg, dh):
    """Derivatives of ``full_force`` by x, y, u, w; dg, dh are those of g, h by ``|E|^2``."""
    along = x * u + y * w
    turn = h * along
    slope = 2.0 * dh * along
    return (
        -(2.0 * dg * u * x + h * x * u + turn + slope * x * x),
        -(2.0 * dg * u * y + h * x * w + slope * x * y),
        -(g + h * x * x),
        -h * x * y,
        -(2.0 * dg * w * x + h * y * u + slope * x * y),
        -(2.0 * dg * w * y + h * y * w + turn + slope * y * y),
        -h * x * y,
        -(g + h * y * y),
    )
