"""The compiled loops of what is learnt from bracketed treebanks."""
