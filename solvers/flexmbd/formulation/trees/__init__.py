"""Trees of rigid bodies: the table of their links, and what is computed along it in spatial vectors."""
