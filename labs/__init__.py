"""Runnable experiments, one a file."""
