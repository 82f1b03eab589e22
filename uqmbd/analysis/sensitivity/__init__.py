"""Sensitivity indices from samples."""
