"""Long-term motion: maps from section to section, their periodic orbits, branches and bifurcations."""
