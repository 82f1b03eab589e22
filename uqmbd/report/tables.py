"""Tables of text, where functions from outside find them; the rest is in `uqmbd.tables.text`."""

from uqmbd.tables.text import Table

__all__ = ["Table"]
