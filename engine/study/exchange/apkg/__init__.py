"""Anki's `.apkg` packages, out and in, through the official `anki` package in a process of its own."""
