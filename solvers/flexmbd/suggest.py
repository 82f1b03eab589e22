"""Errors for misspelt names."""

import difflib

from flexmbd.errors import ModelError


def unknown(kind, name, known):
    """`ModelError` for a name that is not known, with the nearest known ones."""
    near = difflib.get_close_matches(name, list(known), 3, 0.5) or sorted(known)[:8]
    return ModelError(f"{kind} '{name}' is not known", element=name, remedy=f"near names: {', '.join(near)}")
