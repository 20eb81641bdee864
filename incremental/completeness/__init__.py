"""Completeness of sentences: whether words could be, or are, a whole one, and the effect of a silence."""
