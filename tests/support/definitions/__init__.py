"""Recurrences and rules of the product in plain Python, each module named after the one that it judges."""
