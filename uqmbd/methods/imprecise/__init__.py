"""Random inputs with imprecise ones: probability boxes and evidence."""
