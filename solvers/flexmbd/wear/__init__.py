"""Wear: Archard's law over runs, and the cycle of run and wear."""
