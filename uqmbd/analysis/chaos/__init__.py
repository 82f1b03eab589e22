"""Orthonormal polynomials of random inputs, and expansions in them."""
