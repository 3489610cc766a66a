"""What is learnt: decks, schedule, review, statistics, exchange."""
