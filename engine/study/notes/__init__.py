"""Notes in Markdown or as a table of tabs, made into cards of a deck of one's own."""
