"""Compiled loops of the charts of phrases."""
