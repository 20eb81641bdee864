"""Compiled loops of tree classes and decoders."""
