"""The time loop in lanes, compiled once for a width: what depends on the model is data, or called by address."""
