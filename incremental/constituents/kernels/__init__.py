"""Compiled loops for learning from bracketed treebanks."""
