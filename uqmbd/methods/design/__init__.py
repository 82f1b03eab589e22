"""Decisions: the cheapest tolerances with which limits are met."""
