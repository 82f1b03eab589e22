"""Stiffness of contacts from materials and radii."""

import pickle

import numpy as np
import pytest

from flexmbd.contact.stiffness import contact_modulus, hertz_plane_stiffness, hertz_sphere_stiffness
from flexmbd.errors import ModelError, check_range
from flexmbd.material import Material

from .sentences import names, said

STEEL = Material(207e9, 0.3, density=7850.0, name="steel")
RUBBER = Material(1e7, 0.49)


def test_published_stiffness_of_the_clearance_slider_crank():
    """R_b = 10 mm, c = 0.5 mm, steel (REFERENCES.md, section 2)."""
    assert hertz_sphere_stiffness(10e-3, 9.5e-3, STEEL, STEEL, conformal=True) == pytest.approx(6.6101983979e10, rel=1e-11)


def test_symmetry_and_limits():
    external = hertz_sphere_stiffness(1e-2, 2e-2, STEEL, RUBBER, conformal=False)
    assert external == pytest.approx(hertz_sphere_stiffness(2e-2, 1e-2, RUBBER, STEEL, conformal=False), rel=1e-15)
    plane = hertz_plane_stiffness(1e-2, STEEL, RUBBER)
    assert external < plane < hertz_sphere_stiffness(2e-2, 1e-2, STEEL, RUBBER, conformal=True)
    for conformal in (False, True):
        assert hertz_sphere_stiffness(1e6, 1e-2, RUBBER, STEEL, conformal=conformal) == pytest.approx(plane, rel=1e-8)
    assert contact_modulus(STEEL, STEEL) == pytest.approx(207e9 / 2 / 0.91, rel=1e-15)


def test_a_soft_body_decides():
    assert contact_modulus(STEEL, RUBBER) == pytest.approx(1e7 / (1 - 0.49**2), rel=1e-4)


def test_arrays_over_samples():
    clearance = np.array([1e-4, 5e-4])
    stiffness = hertz_sphere_stiffness(10e-3, 10e-3 - clearance, STEEL, Material(np.array([1e11, 2e11]), 0.3), conformal=True)
    assert stiffness.shape == (2,)
    one = hertz_sphere_stiffness(10e-3, 9.5e-3, STEEL, Material(2e11, 0.3), conformal=True)
    assert isinstance(one, float) and stiffness[1] == pytest.approx(one, rel=1e-15)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Material(0.0, 0.3, name="steel"), ("material steel", "E is 0", "above 0")),
        (lambda: Material(1e9, np.array([0.3, 0.6])), ("nu is 0.6 (sample 1)", "at most 0.5")),
        (lambda: Material(1e9, 0.3, density=-1.0), ("density is -1",)),
        (lambda: hertz_sphere_stiffness(9e-3, 9e-3, STEEL, STEEL, conformal=True), ("clearance", "R_i above R_j")),
        (lambda: hertz_sphere_stiffness(1e-2, np.array([9e-3, 2e-2]), STEEL, STEEL, conformal=True), ("-0.01 m (sample 1)",)),
        (lambda: hertz_plane_stiffness(-1.0, STEEL, STEEL), ("R is -1",)),
    ],
)
def test_bad_numbers_are_refused_in_one_sentence(make, words):
    names(said(make), *words)


def test_model_error_prints_one_sentence_and_travels():
    error = ModelError("mass is -1", element="rod", remedy="give a positive mass")
    assert str(error) == "rod: mass is -1; give a positive mass"
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.message, copy.element, copy.remedy) == (error.message, error.element, error.remedy)
    assert str(ModelError("no bodies")) == "no bodies"


def test_check_range_accepts_what_is_inside():
    check_range("x", "y", np.array([0.0, 1.0]), at_least=0.0, at_most=1.0)
    with pytest.raises(ModelError, match=r"y is 1 \(sample \(1, 0\)\); it must be below 1"):
        check_range("x", "y", np.array([[0.0], [1.0]]), below=1.0)
