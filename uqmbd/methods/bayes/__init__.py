"""Bayesian calibration: what measurements leave of the distributions of inputs."""
