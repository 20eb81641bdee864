"""Load generator of `treewhile bench typing`: invented texts, typing schedules, typists and reports."""
