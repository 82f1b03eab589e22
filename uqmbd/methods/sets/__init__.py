"""Judgement and correlated bounds: fuzzy numbers and convex sets."""
