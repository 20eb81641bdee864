"""The load generator of `treewhile bench typing`: invented texts, typing schedules, typists, figures."""
