"""Readers of traces, memory snapshots, ncu and nsys output."""
