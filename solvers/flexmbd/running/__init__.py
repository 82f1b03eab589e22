"""From a system to its motion: models, settings, samples and what becomes of them."""
