"""Everyday studies: grids, lists of samples, fits to measurements."""
