"""Constituency parsing: bracketed treebanks, grammars and taggers learnt from them, and parsers."""
