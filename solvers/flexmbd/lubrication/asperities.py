"""Rough surfaces in contact: pressure of asperities by Greenwood and Tripp, and its force on a journal."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import gamma, pbdv

from flexmbd.errors import ModelError, check_number
from flexmbd.lanes import exp, kernel, maximum, minimum, sqrt


class AsperityKernels(NamedTuple):
    """Compiled functions of (x, y, c, R, *numbers): force (2), its tangent (4), energy (1), load and its gradient (3), and all but the
    tangent in one call, ``contact`` (6)."""

    force: Any
    tangent: Any
    energy: Any
    load: Any
    contact: Any
    helpers: tuple = ()


def height_integral(n, u):
    """``F_n(u) = 1/sqrt(2 pi) integral_u^inf (s - u)^n exp(-s^2/2) ds`` of a normal distribution of heights, exact.

    A parabolic cylinder function, ``Gamma(n + 1)/sqrt(2 pi) exp(-u^2/4) D_{-n-1}(u)``; to 1e-9 relative for -6 <= u <= 10.
    Any shape of `u`.
    """
    u = np.asarray(u, dtype=float)
    return gamma(n + 1.0) / np.sqrt(2.0 * np.pi) * np.exp(-0.25 * u * u) * pbdv(-n - 1.0, u)[0]


@kernel
def height_functions(u):
    """(F_{7/2}, F_{5/2}, dF_{5/2}/du) at u = h/sigma, to 3.3e-8, 2.4e-7 and 2.7e-6 relative for -3 <= u <= 6.

    ``F_{7/2} = exp(p)`` with a polynomial p (a Chebyshev fit in u), and ``F_{5/2} = -2/7 F_{7/2}'``, so that force is exactly
    the gradient of the energy.  Continued with two continuous derivatives: above 6 as a Gaussian, below -3 as a parabola
    (the pressure grows linearly).
    """
    inside = minimum(maximum(u, -3.0), 6.0)
    above, below = maximum(u - inside, 0.0), minimum(u - inside, 0.0)
    t = (inside - 1.5) / 4.5
    p, d, dd = 0.001328392998299413 + 0.0 * t, 0.0 * t, 0.0 * t
    for a in (
        -0.0007536065689092082, -0.006874238846080087, 0.007102109968556387, 0.012783198128072803, -0.027835924428705916,
        0.005447196626620935, 0.055438745260097656, -0.10469532281482885, 0.0126123904738108, 0.42033606108436883,
        -1.395916548821259, -7.016988178082768, -13.188236355830519, -3.600717781121843,
    ):  # fmt: skip
        dd = dd * t + 2.0 * d
        d = d * t + p
        p = p * t + a
    d, dd = d / 4.5, dd / 20.25
    g = exp(p + above * (d + 0.5 * dd * above))
    first = (d + dd * above) * g
    second = (dd + (d + dd * above) * (d + dd * above)) * g
    g = g + below * (first + 0.5 * second * below)
    return g, (first + second * below) / -3.5, second / -3.5


@kernel
def height_sums(rho, gap):
    """Integrals over t in (-pi, pi) of F_{7/2}, F_{5/2}, F_{5/2} cos t, F_{5/2}' cos t, F_{5/2}' cos^2 t at ``gap - rho cos t``.

    By 12 Gauss nodes in ``tan(t/4)`` (rational, no trigonometry) on the part of the circumference that can touch: the gap there
    rises by 8 sigma at ``rho = gap``.  The nodes do not depend on rho, so sums of derivatives are derivatives of sums.
    """
    share = minimum(4.0 / gap, 1.0)
    reach = sqrt(share) / (1.0 + sqrt(1.0 - share))
    energy, load, force, slope, stiffness = 0.0 * rho, 0.0 * rho, 0.0 * rho, 0.0 * rho, 0.0 * rho
    for y, w in (
        (0.009219682876640378, 0.023587668193255706),
        (0.0479413718147626, 0.05346966299765953),
        (0.11504866290284765, 0.08003916427167321),
        (0.20634102285669126, 0.10158371336153287),
        (0.31608425050090994, 0.1167462682691773),
        (0.43738329574426554, 0.12457352290670134),
        (0.5626167042557344, 0.12457352290670134),
        (0.6839157494990901, 0.1167462682691773),
        (0.7936589771433087, 0.10158371336153287),
        (0.8849513370971523, 0.08003916427167321),
        (0.9520586281852375, 0.05346966299765953),
        (0.9907803171233596, 0.023587668193255706),
    ):
        q = reach * y
        s = 2.0 * q / (1.0 + q * q)
        cos = 1.0 - 2.0 * s * s
        weight = 8.0 * reach * w / (1.0 + q * q)
        g, f, df = height_functions(gap - rho * cos)
        energy = energy + weight * g
        load = load + weight * f
        force = force + weight * cos * f
        slope = slope + weight * cos * df
        stiffness = stiffness + weight * cos * cos * df
    return energy, load, force, slope, stiffness


@kernel
def asperity_contact(x, y, c, R, k, sigma, length):
    """(fx, fy, energy, load, dload/dx, dload/dy), in N, J and N/m; k pressure scale in Pa.

    The force on the journal is towards the bearing's centre and less the energy's gradient; the load is the pressure summed.
    """
    r = sqrt(x * x + y * y + 1e-6 * sigma * sigma)
    energy, load, force, slope, _stiffness = height_sums(r / sigma, c / sigma)
    scale = k * R * length
    factor, growth = -scale * force / r, -scale * slope / (sigma * r)
    return factor * x, factor * y, scale * sigma * energy / 3.5, scale * load, growth * x, growth * y


@kernel
def asperity_tangent(x, y, c, R, k, sigma, length):
    """(dfx/dx, dfx/dy, dfy/dx, dfy/dy) of the force, in N/m."""
    r = sqrt(x * x + y * y + 1e-6 * sigma * sigma)
    _energy, _load, force, _slope, stiffness = height_sums(r / sigma, c / sigma)
    factor = -k * R * length * force / r
    bend = (k * R * length * stiffness / sigma - factor) / (r * r)
    return factor + bend * x * x, bend * x * y, bend * x * y, factor + bend * y * y


@kernel
def asperity_force(x, y, c, R, k, sigma, length):
    """Force (fx, fy) on the journal."""
    fx, fy, _energy, _load, _by_x, _by_y = asperity_contact(x, y, c, R, k, sigma, length)
    return fx, fy


@kernel
def asperity_energy(x, y, c, R, k, sigma, length):
    """Elastic energy of the asperities in J."""
    _fx, _fy, energy, _load, _by_x, _by_y = asperity_contact(x, y, c, R, k, sigma, length)
    return energy


@kernel
def asperity_load(x, y, c, R, k, sigma, length):
    """(N, dN/dx, dN/dy): what boundary friction acts on."""
    _fx, _fy, _energy, load, by_x, by_y = asperity_contact(x, y, c, R, k, sigma, length)
    return load, by_x, by_y


@dataclass(frozen=True, eq=False)
class GreenwoodTripp:
    r"""``p = 16 sqrt(2) pi/15 (eta beta sigma)^2 sqrt(sigma/beta) E* F_{5/2}(h/sigma)`` (Greenwood and Tripp 1970, The
    contact of two nominally flat rough surfaces, Proc. Inst. Mech. Eng. 185, 625-633), over the gap of a journal bearing.

    Usual surfaces have ``eta beta sigma`` between 0.03 and 0.05 and ``sigma/beta`` between 1e-4 and 1e-2.  The gap is
    ``h = c - e n``; the force is conservative, directed to the bearing's centre and regular at e = 0.  Against exact
    quadrature of the formula it errs by less than 1e-5 for ``c >= 8 sigma`` and ``-3 sigma <= h_min <= 3.5 sigma``.

    Parameters
    ----------
    density : eta, asperities per area (of each surface), 1/m^2.
    tip_radius : beta, radius of the tips, m.
    roughness : sigma, standard deviation of the sum of both surfaces' heights, m.
    modulus : E*, ``1/E* = (1 - nu_1^2)/E_1 + (1 - nu_2^2)/E_2``, Pa.
    length : of the bearing, m.

    Examples
    --------
    >>> import flexmbd as fm
    >>> rough = fm.GreenwoodTripp(density=1e10, tip_radius=1e-5, roughness=4e-7, modulus=1.15e11, length=0.02)
    >>> [f"{rough.pressure(gap):.2e}" for gap in (0.4e-6, 0.8e-6, 1.2e-6)]  # Pa, where surfaces are 1, 2 and 3 roughnesses apart
    ['1.40e+07', '9.46e+05', '2.98e+04']
    """

    name: ClassVar[str] = "greenwood_tripp"
    reference: ClassVar[str] = "Greenwood and Tripp 1970, Proc. Inst. Mech. Eng. 185, 625-633"

    density: Any
    tip_radius: Any
    roughness: Any
    modulus: Any
    length: Any

    def __post_init__(self):
        for key in ("density", "tip_radius", "roughness", "modulus", "length"):
            object.__setattr__(self, key, check_number(self.name, key, getattr(self, key), positive=True))

    @property
    def scale(self):
        """Pressure per F_{5/2}, Pa."""
        product = self.density * self.tip_radius * self.roughness
        return 16.0 * np.sqrt(2.0) * np.pi / 15.0 * product**2 * np.sqrt(self.roughness / self.tip_radius) * self.modulus

    def pressure(self, gap):
        """Exact mean pressure in Pa of flat surfaces whose mean planes are `gap` (m) apart."""
        return self.scale * height_integral(2.5, gap / self.roughness)

    def check_clearance(self, clearance):
        """Raise `ModelError` unless the radial clearance (m) is at least 8 times the roughness, in each sample."""
        clearance, roughness = np.broadcast_arrays(clearance, self.roughness)
        worst = np.argmin(clearance / roughness)
        if clearance.flat[worst] < 8.0 * roughness.flat[worst]:
            place = f" (sample {worst})" if clearance.ndim else ""
            raise ModelError(
                f"roughness is {roughness.flat[worst]:g} m at a clearance of {clearance.flat[worst]:g} m{place}",
                element=self.name,
                remedy="the clearance must be at least 8 times the roughness, or the surfaces touch all around",
            )

    def numbers(self):
        """Pressure scale (Pa), roughness (m), length (m)."""
        return {"k": self.scale, "sigma": self.roughness, "length": self.length}

    def kernels(self) -> AsperityKernels:
        """Force, tangent, energy, load, and all at once."""
        helpers = (height_functions, height_sums, asperity_contact)
        return AsperityKernels(asperity_force, asperity_tangent, asperity_energy, asperity_load, asperity_contact, helpers)
