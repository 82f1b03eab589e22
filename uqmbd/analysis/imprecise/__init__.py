"""Bounds of statistics where intervals and random inputs meet."""
