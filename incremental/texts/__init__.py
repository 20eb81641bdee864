"""Segmentation of text into words, as it is typed."""
