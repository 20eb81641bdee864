"""Constituency trees: grammars as data, charts with closed cells, and the best trees of scored spans."""
