"""Which inputs matter."""
