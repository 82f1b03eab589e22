"""Moments, quantiles, their confidence limits, and trust."""
