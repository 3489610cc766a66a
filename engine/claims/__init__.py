"""Where study and measure meet: quantities, formulas, predictions, verdicts."""
