"""Treebanks as lossless streams, and trees made from theirs."""
