"""What was learnt, out of one machine and into another: the log, settings and decks, without loss."""
