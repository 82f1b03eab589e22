"""Bounds of the response over a box of intervals."""
