"""Treebanks as lossless streams, and trees derived from them."""
