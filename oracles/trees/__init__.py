"""Dependency trees between projective and all: which class a tree is in, and the best tree of each class."""
