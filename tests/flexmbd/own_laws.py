"""Laws of a user: kernels of one name in two classes, and balls that rest on them."""

from dataclasses import dataclass
from typing import ClassVar

import flexmbd as fm
from flexmbd.contact.laws.base import NormalKernels
from flexmbd.lanes import kernel, select

SETTINGS = {"integrator": "dormand_prince", "lanes": 1}
G = 9.81


class Linear:
    """Kernels of ``F = K delta``, as methods of a class."""

    @staticmethod
    @kernel
    def force(delta, rate, v0, K):
        d = select(delta > 0.0, delta, 0.0)
        return K * d, K * d

    @staticmethod
    @kernel
    def tangent(delta, rate, v0, K):
        return select(delta > 0.0, K, 0.0), 0.0 * rate

    @staticmethod
    @kernel
    def energy(delta, K):
        d = select(delta > 0.0, delta, 0.0)
        return 0.5 * K * d * d


class Quadratic:
    """Kernels of ``F = K delta²`` with the same names."""

    @staticmethod
    @kernel
    def force(delta, rate, v0, K):
        d = select(delta > 0.0, delta, 0.0)
        return K * d * d, K * d * d

    @staticmethod
    @kernel
    def tangent(delta, rate, v0, K):
        return 2.0 * K * select(delta > 0.0, delta, 0.0), 0.0 * rate

    @staticmethod
    @kernel
    def energy(delta, K):
        d = select(delta > 0.0, delta, 0.0)
        return K * d * d * d / 3.0


@dataclass(frozen=True, eq=False)
class Law:
    """A law of any kernels."""

    made: object
    stiffness: object
    name: ClassVar[str] = "own"
    continuous_onset: ClassVar[bool] = True

    def numbers(self):
        return {"K": self.stiffness}

    def kernels(self):
        return NormalKernels(self.made.force, self.made.tangent, self.made.energy)


def balls(*laws):
    """Balls of 1 kg let go where they touch the ground: what a law stores at the deepest place is ``m g`` times the penetration."""
    s = fm.System(gravity=(0.0, -G))
    for k, law in enumerate(laws):
        ball = s.body(f"b{k}", mass=1.0, inertia=1.0, position=(5.0 * k, 1.0))
        s.add(fm.DiscPlane(f"c{k}", ball.centre, s.ground.at(5.0 * k, 0.0), 1.0, law))
    return s


def deepest(*laws, end=1.0):
    """Largest penetrations."""
    names = [f"c{k}.penetration:max" for k in range(len(laws))]
    run = fm.run(balls(*laws), end=end, points=2, outputs=names, settings=SETTINGS)
    assert run.status == 0, run.message
    return [run[name] for name in names]
