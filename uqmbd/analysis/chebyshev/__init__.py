"""Chebyshev expansions, tensor and sparse: values, slopes, and verified ranges over the cube."""
