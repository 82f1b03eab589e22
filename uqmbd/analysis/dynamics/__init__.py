"""Long-term motion: maps from section to section, their periodic orbits, branches and bifurcations, exponents, the 0-1 test."""
