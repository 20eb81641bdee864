"""Phrases: bracketed treebanks, grammars and taggers that are learnt from them, and parsers."""
