"""Motion as maps from section to section: what bifurcations, exponents and control ask of a mechanism."""
