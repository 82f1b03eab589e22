"""Ranges over boxes, cuts, convex sets and focal elements."""
