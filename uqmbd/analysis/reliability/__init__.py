"""Probabilities of rare events."""
