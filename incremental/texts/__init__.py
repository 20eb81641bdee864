"""Text to words, as it is typed."""
