"""Kernels are known by what they are: two of one name are two, and an edited one is another."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.contact.laws import LankaraniNikravesh
from flexmbd.forces import Force
from flexmbd.joints import Joint
from flexmbd.lanes import kernel, power, sqrt
from flexmbd.lanes import sqrt as root
from flexmbd.language.kernels import kernel_of
from flexmbd.language.quadratic import Row, dot
from flexmbd.running.identity import identity
from flexmbd.running.models import model_of
from flexmbd.running.settings import as_settings

from .own_laws import SETTINGS, G, Law, Linear, Quadratic, balls, deepest


@pytest.mark.slow
@pytest.mark.parametrize("order", (1, -1))
def test_two_laws_whose_kernels_share_their_names_are_two_laws(order):
    laws, depths = (Law(Linear, 2.0 * G / 0.1105), Law(Quadratic, 3.0 * G / 0.2869**2)), (0.1105, 0.2869)
    assert deepest(*laws[::order]) == pytest.approx(depths[::order], rel=1e-6)


def copied(tmp_path, edit, name="copied"):
    """``LankaraniNikravesh`` of a copy of `power_law.py`, kernel names kept and its text edited, as a user's own module."""
    import sys
    from importlib.util import module_from_spec, spec_from_file_location
    from pathlib import Path

    from flexmbd.contact.laws import power_law

    path = tmp_path / f"{name}.py"
    path.write_text(edit(Path(power_law.__file__).read_text()))
    made = module_from_spec(spec := spec_from_file_location(path.stem, path))
    sys.modules[path.stem] = made
    try:
        spec.loader.exec_module(made)
    finally:
        del sys.modules[path.stem]

    @dataclass(frozen=True, eq=False)
    class Stiffer(made.PowerLaw):
        name: ClassVar[str] = "stiffer"
        reference: ClassVar[str] = "none"

    return Stiffer


def test_a_copy_of_a_law_changes_neither_the_packages_own_nor_itself(tmp_path):
    stiffer = copied(tmp_path, lambda text: text.replace("elastic = K * d * sqrt(d)", "elastic = 4.0 * K * d * sqrt(d)"))(1e3)
    own = LankaraniNikravesh(1e3, restitution=0.999999)
    assert kernel_of(stiffer.kernels().force).name != kernel_of(own.kernels().force).name
    assert kernel_of(stiffer.kernels().energy).name == kernel_of(own.kernels().energy).name  # the same source is the same kernel
    names = [identity(balls(*laws)) for laws in ((own, stiffer), (stiffer, own), (own, own), (stiffer, stiffer))]
    assert len(set(names)) == 4


def factory(c):
    """A kernel with a number of its closure."""

    @kernel
    def scaled(x):
        return c * x

    return scaled


WEIGHT, SHAPE = 3.0, [1.0, 2.0]


@kernel
def with_numbers(x):
    """Numbers of the module and of others, a word under another name."""
    return WEIGHT * math.pi * root(x)


def test_numbers_of_closures_and_modules_are_taken_by_value(monkeypatch):
    two, three = factory(2.0), factory(3.0)
    assert kernel_of(two).name != kernel_of(three).name
    assert "2.0 * x" in kernel_of(two).text and kernel_of(factory(2.0)).name == kernel_of(two).name
    known = kernel_of(with_numbers)
    assert f"3.0 * {math.pi!r} * sqrt(x)" in known.text
    monkeypatch.setattr(f"{__name__}.WEIGHT", 4.0)
    assert "4.0 * " in kernel_of(with_numbers).text and kernel_of(with_numbers).name != known.name


def test_a_kernel_that_others_call_belongs_to_what_they_are(monkeypatch):
    @kernel
    def inner(x):
        return x + 1.0

    @kernel
    def outer(x):
        return 2.0 * inner(x)

    before = kernel_of(outer)

    @kernel
    def inner(x):  # noqa: F811 - as in a cell that is run again
        return x + 2.0

    assert [k.text for k in before.calls] != [k.text for k in kernel_of(outer).calls]
    assert before.name != kernel_of(outer).name


# ---- a cell of a notebook is run again
CELLS = {
    "force": """
@dataclass(frozen=True, eq=False)
class Pull(Force):
    name: str
    b: object
    dimensions = (2,)
    def parameters(self): return {}
    def apply(self, equations): equations.force(self.b, SIZE, 0.0)
""",
    "joint": """
@dataclass(frozen=True, eq=False)
class Pull(Joint):
    name: str
    a: object
    b: object
    def parameters(self): return {}
    def rows(self, equations):
        (ax, ay), (bx, by) = equations.place(self.a), equations.place(self.b)
        d = (bx - ax, by - ay)
        return [Row((dot(d, d) - SIZE * SIZE) * 0.5, "length", f"{self.name}.distance")]
""",
}
SPACE = {"dataclass": dataclass, "Force": Force, "Joint": Joint, "Row": Row, "dot": dot, "__name__": "__main__"}


def cell(kind, size, by):
    """System of a cell whose `SIZE` is a literal (`by` "text"), or a global that is set later."""
    space = dict(SPACE)
    exec(CELLS[kind].replace("SIZE", str(size)) if by == "text" else CELLS[kind], space)
    space["SIZE"] = size
    s = fm.System()
    ball = s.body("ball", mass=1.0, inertia=1.0, position=(1.0, 0.0))
    ends = (ball.centre,) if kind == "force" else (s.ground.at(0.0, 0.0), ball.centre)
    s.add(space["Pull"]("pull", *ends))
    return s


@pytest.mark.parametrize("by", ("text", "global"))
@pytest.mark.parametrize("kind", CELLS)
def test_an_edited_force_or_joint_makes_other_equations(kind, by):
    first, second, again = (model_of(cell(kind, size, by), ["ball.x"], as_settings(SETTINGS)) for size in (1.0, 5.0, 5.0))
    assert first.code.name != second.code.name
    assert again.code.name == second.code.name  # the same equations: nothing is compiled


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind, wanted", [("force", {1.0: 1.5, 5.0: 3.5}), pytest.param("joint", {1.0: 1.0, 2.0: 2.0}, marks=pytest.mark.slow)]
)
def test_an_edited_force_or_joint_moves_the_new_way(kind, wanted, by="global"):
    for size, x in wanted.items():
        run = fm.run(cell(kind, size, by), end=1.0, points=2, outputs=["ball.x:final"], settings=SETTINGS)
        assert run["ball.x:final"] == pytest.approx(x)


@dataclass(frozen=True, eq=False)
class Polynomial(Force):
    """``F = K x^order``: `order` decides the code, and neither `parameters` nor `topology_key` names it."""

    name: str
    b: object
    K: object
    order: int
    dimensions: ClassVar[tuple] = (2,)

    def parameters(self):
        return {"K": self.K}

    def apply(self, equations):
        x, _ = equations.values(equations.place(self.b))
        f = equations.number(self, "K")
        for _ in range(self.order):
            f = f * x
        equations.force(self.b, f, 0.0)


def polynomial(K, order):
    s = fm.System()
    ball = s.body("ball", mass=1.0, inertia=1.0, position=(2.0, 0.0))
    s.add(Polynomial("pull", ball.centre, K, order))
    return s


def test_an_attribute_that_leaves_does_not_name_is_part_of_the_model():
    first, second = (model_of(polynomial(2.0, order), ["ball.ax"], as_settings(SETTINGS)) for order in (0, 2))
    assert first is not second and first.code.name != second.code.name
    assert model_of(polynomial(3.0, 2), ["ball.ax"], as_settings(SETTINGS)) is second


def test_numbers_that_leaves_names_are_not_part_of_the_model():
    numbers = (1.5, 2.5, np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    assert len({identity(polynomial(K, 1)) for K in numbers[:2]}) == len({identity(polynomial(K, 1)) for K in numbers[2:]}) == 1
    assert power(2.0, 0.5) == sqrt(2.0)
