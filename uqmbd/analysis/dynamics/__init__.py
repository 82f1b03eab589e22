"""Long-term motion: maps, periodic orbits, exponents, the 0-1 test, and the control of chaos."""
