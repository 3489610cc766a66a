"""The mock interview: clock, draw, rubric, report."""
