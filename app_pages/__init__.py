"""One page a file; presentation only."""
