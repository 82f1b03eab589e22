"""Tangents that several calls of a kernel give, as one."""


def alike(a, b):
    """True for tangents that give the same partial derivatives: one code, and plain numbers that it closes over alike."""
    return a is b or (a.__code__ is b.__code__ and _plain(a) == _plain(b))


def joined(a, b):
    """The partial derivatives of two tangents; where both have one, the first one's."""

    def tangent(args):
        return {**b(args), **a(args)}

    return tangent


def _plain(function):
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return [x for x in cells if isinstance(x, (int, float, str))]
