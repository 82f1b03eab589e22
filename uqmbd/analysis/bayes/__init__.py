"""Sampling of posterior distributions: moves of ensembles of walkers, and how far chains can be believed."""
