"""Histories brought onto a common time line."""
