"""What is measured: hardware, events, results, runs."""
