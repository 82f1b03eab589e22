"""Film maps: the impedance of an oil film as a polynomial of the journal's place, built once, stored, and checked when it is read.

Theory: ``docs/theory/film_maps.md``.
"""

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.polynomial.chebyshev import chebvander

from flexmbd.errors import ModelError, check_range

VERSION = 1
GROWTHS = range(1, 8)  # exponents k of the gap ratio kappa that a film may grow with: 3 for a long one, 5 for a short one
WEAK = 0.01  # share of the largest force that `weak_error` is at least relative to
MARGIN = 0.5  # the fit reaches down to this share of the smallest kappa, for the continuation beyond eps_max
PROBES = 7  # points kept with their values, for the check on load
NEAR = 1e-3  # eccentricity ratio at which it is asked whether the film still knows a direction of its own


@dataclass(frozen=True, eq=False)
class FilmMap:
    """Impedance f of a film: ``F = mu L R^3 / c^3 |V| f(eps, beta)``, as a double polynomial.

    Attributes
    ----------
    settings : dict
        What film this is (names and numbers that JSON can hold).
    eps_max : float
        Largest eccentricity ratio of the stated error; beyond it the film is continued with bounded force.
    growth : int
        k of the factor ``(1 - eps^2)^(-k/2)`` that is taken out.
    isotropic : bool
        True if the force on a centred journal is against its motion; else (pressure held at the widest gap) smoothed below about `core`.
    core : float
        Eccentricity ratio, 0 if isotropic.
    p, q : ndarray (harmonics, degrees)
        Coefficients of the parts along and across the scaled velocity, see `docs/theory/film_maps.md`.
    error : float
        Largest error at points never used for the fit, relative to the largest force over all directions at the same eccentricity.
    weak_error : float
        The same relative to the force itself, or to 1 % of the largest where it is less.
    evaluations : int
        Films that were computed for it.
    probes : ndarray (points, 4)
        eps, beta, f_r, f_t as computed.
    """

    settings: dict
    eps_max: float
    growth: int
    isotropic: bool
    core: float
    p: np.ndarray
    q: np.ndarray
    error: float = np.nan
    weak_error: float = np.nan
    evaluations: int = 0
    probes: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))

    @property
    def range(self):
        """First and last value of the radial variable: |t|^2 if isotropic, else |t|; t = eps / (1 + kappa)."""
        last = _radius(MARGIN * np.sqrt(1.0 - self.eps_max**2))
        return (0.0, last**2) if self.isotropic else (0.5 * self.core, last)

    @property
    def digest(self):
        """Hash of all that decides the force."""
        numbers = (VERSION, self.eps_max, self.growth, self.isotropic, self.core, *map(float, self.range), self.p.shape)
        return _hash(repr((*numbers, self.p.tolist(), self.q.tolist())))

    def __call__(self, eps, beta):
        """Radial and tangential part of f, arrays of one shape; 0 <= eps <= eps_max, and outside the core if not isotropic."""
        eps, beta = np.broadcast_arrays(np.asarray(eps, float), np.asarray(beta, float))
        kappa = np.sqrt(1.0 - eps**2)
        radius = eps / (1.0 + kappa)
        vr, vt = np.cos(beta), kappa * np.sin(beta)
        speed, angle = np.hypot(vr, vt)[..., None], np.arctan2(vt, vr)
        order = np.arange(len(self.p))
        low, high = self.range
        table = chebvander((2.0 * (radius**2 if self.isotropic else radius) - low - high) / (high - low), self.p.shape[1] - 1)
        weight = radius[..., None] ** order if self.isotropic else 1.0
        turn = angle[..., None] * order
        along = np.sum(table @ self.p.T * weight * np.cos(turn), axis=-1)
        across = np.sum(table @ self.q.T * weight * np.sin(turn), axis=-1)
        g = (along + 1j * across) * np.exp(1j * angle) * speed[..., 0]
        return g.real / kappa**self.growth, g.imag * kappa ** (1 - self.growth)

    def save(self, path):
        """Write the map to a file (``.npz``)."""
        meta = {"version": VERSION, "settings": self.settings, "digest": self.digest, "checksum": self._checksum()}
        meta |= {key: getattr(self, key) for key in ("eps_max", "growth", "isotropic", "core", "error", "weak_error", "evaluations")}
        with Path(path).open("wb") as stream:
            np.savez(stream, meta=np.array(json.dumps(meta)), p=self.p, q=self.q, probes=self.probes)

    def _checksum(self):
        rest = (self.error, self.weak_error, self.evaluations, self.probes.tolist())
        return _hash(f"{self.digest}{_text(self.settings)}{rest!r}")


def load_map(path, *, settings=None, impedance=None, tolerance=1e-6):
    """Map read from a file, checked.

    Parameters
    ----------
    settings : dict, optional
        What film it must be.
    impedance : callable, optional
        As of `build_map`: a few points are computed again and compared with those kept, within the relative `tolerance`.

    Raises
    ------
    ModelError
        If the file is missing, damaged, of another version, of another film, or if the film now computes something else.
    """
    owner, again = f"film map '{path}'", "build the map again"
    try:
        with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as data:
            meta, p, q, probes = json.loads(str(data["meta"])), data["p"], data["q"], data["probes"]
        version = meta.pop("version")
    except FileNotFoundError:
        raise ModelError(f"{owner}: there is no such file", element=owner, remedy="build the map and save it") from None
    except (OSError, ValueError, KeyError, TypeError, EOFError, AttributeError, zipfile.BadZipFile):
        raise ModelError(f"{owner}: the file is damaged or not a film map", element=owner, remedy=again) from None
    if version != VERSION:
        raise ModelError(f"{owner}: the file is of version {version}, this program reads {VERSION}", element=owner, remedy=again)
    try:
        digest, checksum = meta.pop("digest"), meta.pop("checksum")
        out = FilmMap(p=p, q=q, probes=probes, **meta)
        whole = p.ndim == 2 and p.shape == q.shape and (out.digest, out._checksum()) == (digest, checksum)
    except (KeyError, TypeError, ValueError):
        whole = False
    if not whole:
        raise ModelError(f"{owner}: the numbers do not match their checksum, the file is damaged", element=owner, remedy=again)
    wanted = out.settings if settings is None else json.loads(_text(settings))
    if wanted != out.settings:
        keys = [k for k in {**wanted, **out.settings} if wanted.get(k) != out.settings.get(k)]
        pairs = ", ".join(f"{k} is {out.settings.get(k)!r} and not {wanted.get(k)!r}" for k in keys)
        raise ModelError(f"{owner}: the map is of another film: {pairs}", element=owner, remedy=again)
    if impedance is not None:
        _recompute(owner, out, impedance, tolerance)
    return out


def _recompute(owner, film, impedance, tolerance):
    eps, beta, fr, ft = film.probes.T
    now = _impedance(impedance, eps, beta)
    off = np.abs(now - (fr + 1j * ft)) / np.hypot(fr, ft)
    k = int(np.argmax(off))
    if off[k] > tolerance:
        place = f"at eps {eps[k]:.4g}, beta {beta[k]:.4g}"
        raise ModelError(
            f"{owner}: {place} the film differs by {off[k]:.2g} from the one mapped", element=owner, remedy="build the map again"
        )


def build_map(impedance, *, settings, eps_max=0.95, tolerance=1e-3, budget=20_000, core=0.005):
    """Map of a film with quasi-static cavitation and no ambient pressure.

    Parameters
    ----------
    impedance : callable
        ``impedance(eps, beta) -> (f_r, f_t)``: arrays (n,) of eccentricity ratio and of the angle in rad from the line of centres to the
        velocity V; parts of f along and across the line of centres. Asked for 0 <= beta <= pi, and somewhat beyond `eps_max`, to about
        ``1 - (1 - eps_max^2)/8``.
    settings : dict
        What film this is: names and numbers, kept and compared on load.
    eps_max, tolerance : float
        Largest eccentricity ratio, below 1; wanted `FilmMap.error`.
    budget : int
        Films that may be computed; when it is used up the map has the error that it states.
    core : float
        Eccentricity ratio of the smoothing of a film that is not isotropic; its error is stated from ten times this on.

    Raises
    ------
    ModelError
        If a number is out of range, or the impedance is not finite or not of the right shape.

    Examples
    --------
    >>> import numpy as np
    >>> from flexmbd.lubrication.film_map import build_map
    >>> def short(eps, beta):
    ...     k = 1.0 - eps * eps
    ...     return -np.pi * np.cos(beta) * (k + 3.0 * eps * eps) / k**2.5, -np.pi * np.sin(beta) / k**1.5
    >>> film = build_map(short, settings={"film": "short, full"}, eps_max=0.8)
    >>> film.error < 1e-3
    True
    """
    check_range("film map", "eps_max", eps_max, above=0.0, below=1.0)
    check_range("film map", "tolerance", tolerance, above=0.0)
    check_range("film map", "core", core, above=0.0, at_most=0.05)
    settings = json.loads(_text(settings))
    turns = np.pi * (np.arange(8) + 0.5) / 8
    near = _impedance(impedance, np.full(8, NEAR), turns) * np.exp(-1j * turns)
    isotropic = bool(np.max(np.abs(near - near.mean())) < 0.02 * np.abs(near.mean()))
    none = np.zeros((1, 1))
    film = FilmMap(settings, float(eps_max), 0, isotropic, 0.0 if isotropic else float(core), none, none)
    harmonics, degrees, used, best = 8, 8, 8, None
    check_range("film map", "budget", budget, at_least=used + _cost(harmonics, degrees))
    while True:
        now, tails = _fitted(film, impedance, harmonics, degrees, tolerance)
        now, count = _checked(now, impedance, harmonics, degrees)
        used += harmonics * degrees + count
        best = now if best is None or now.error < best.error else best
        harmonics += 4 * int(tails[0] >= 0.1 * tails[1])
        degrees += 4 * int(tails[1] >= 0.1 * tails[0])
        if best.error <= tolerance or used + _cost(harmonics, degrees) > budget:
            return replace(best, evaluations=used)


def _cost(harmonics, degrees):
    return harmonics * degrees + (harmonics + 1) * (degrees + 2)


def _fitted(film, impedance, harmonics, degrees, tolerance):
    """Map through Chebyshev nodes of the radius and equidistant ones of the scaled angle; sizes of its last harmonics and degrees."""
    s = np.cos(np.pi * (np.arange(degrees) + 0.5) / degrees)
    radius = _radii(film, s)
    angle = np.pi * (np.arange(harmonics) + 0.5) / harmonics
    kappa, _, _, f = _grid(impedance, radius, angle)
    size = np.max(np.abs(f), axis=1)
    if not np.all(size > 0.0):
        raise ModelError("film map: the impedance is zero in all directions", remedy="give that of a film with viscosity 1")
    growth = min(GROWTHS, key=lambda k: np.ptp(np.log(size * kappa[:, 0] ** k)))
    speed = np.hypot(np.cos(angle), np.sin(angle) / kappa)  # of V where the scaled velocity is 1
    g = kappa**growth * (f.real + 1j * f.imag / kappa) * np.exp(-1j * angle) * speed
    order = np.arange(harmonics)
    series = np.exp(1j * np.outer(angle, order)) * (2.0 / harmonics)
    series[:, 0] /= 2.0
    table, coefficients = chebvander(s, degrees - 1), np.zeros((2, harmonics, degrees))
    harmonic = np.array([g.real @ series.real, g.imag @ series.imag])
    for part, values in zip(coefficients, harmonic, strict=True):
        for m in order:
            # a smooth function of the plane has |t|^m in its harmonic m: so many degrees less are left, else the fit waves between nodes
            count, weight = (max(2, degrees - m // 2), radius[:, None] ** m) if film.isotropic else (degrees, 1.0)
            part[m, :count] = np.linalg.lstsq(weight * table[:, :count], values[:, m], rcond=1e-12)[0]
    reach = (radius.max() ** order if film.isotropic else np.ones(harmonics))[:, None]
    sizes = np.max(np.abs(coefficients), axis=0) * reach
    tails = np.abs(harmonic[:, :, -2:]).max(), sizes[:, -2:].max()
    p, q = (np.where(sizes > max(1e-3 * tolerance, 1e-13) * sizes.max(), part, 0.0) for part in coefficients)
    return replace(film, growth=growth, p=p, q=q), tails


def _checked(film, impedance, harmonics, degrees):
    """The map with its errors at points between those of the fit and at the ends of the range, and how many these are."""
    middle = _radii(film, np.cos(np.pi * np.arange(degrees + 1) / degrees))
    first = _radius(np.sqrt(1.0 - max(10.0 * film.core, NEAR) ** 2))
    last = _radius(np.sqrt(1.0 - film.eps_max**2))
    radius = np.unique(np.concatenate([middle[(middle > first) & (middle < last)], [first, last]]))
    _, eps, beta, f = _grid(impedance, radius, np.pi * np.arange(harmonics + 1) / harmonics)
    fr, ft = film(eps, beta)
    off, size = np.abs(fr + 1j * ft - f), np.abs(f)
    largest = np.max(size, axis=1, keepdims=True)
    strong = np.argwhere(size > WEAK * largest)
    chosen = strong[np.linspace(0, len(strong) - 1, PROBES).astype(int)]
    probes = np.array([[eps[i, 0], beta[i, j], f[i, j].real, f[i, j].imag] for i, j in chosen])
    error, weak_error = float(np.max(off / largest)), float(np.max(off / np.maximum(size, WEAK * largest)))
    return replace(film, error=error, weak_error=weak_error, probes=probes), f.size


def _radius(kappa):
    return np.sqrt((1.0 - kappa) / (1.0 + kappa))


def _radii(film, s):
    """|t| by the radial variable in [-1, 1]."""
    low, high = film.range
    variable = 0.5 * (low + high) + 0.5 * (high - low) * s
    return np.sqrt(np.maximum(variable, 0.0)) if film.isotropic else variable


def _grid(impedance, radius, angle):
    """kappa, eps (n, 1), beta (n, m) and f (n, m) at radii |t| and scaled angles."""
    kappa = ((1.0 - radius**2) / (1.0 + radius**2))[:, None]
    eps, beta = np.sqrt(1.0 - kappa**2), np.arctan2(np.sin(angle) / kappa, np.cos(angle))
    return kappa, eps, beta, _impedance(impedance, np.broadcast_to(eps, beta.shape).ravel(), beta.ravel()).reshape(beta.shape)


def _impedance(impedance, eps, beta):
    """f_r + i f_t, checked."""
    try:
        f = np.array([np.asarray(x, float) for x in impedance(eps, beta)])
    except (TypeError, ValueError) as error:
        raise ModelError(f"film map: the impedance does not give two arrays of numbers ({error})") from error
    if f.shape != (2, len(eps)):
        raise ModelError(f"film map: the impedance gives numbers of shape {f.shape} for {len(eps)} points; it must be (2, {len(eps)})")
    if not np.all(np.isfinite(f)):
        k = int(np.argmin(np.isfinite(f).all(axis=0)))
        raise ModelError(f"film map: the impedance is not finite at eps {eps[k]:.6g}, beta {beta[k]:.4g}")
    return f[0] + 1j * f[1]


def _text(settings):
    try:
        return json.dumps(settings, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ModelError(f"film map: the settings cannot be stored ({error})", remedy="use names, numbers and lists") from error


def _hash(text):
    return hashlib.sha256(text.encode()).hexdigest()
