"""Searches of extremes and of boundaries between kinds of runs."""
