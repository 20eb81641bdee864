"""Terminal output: trees, tables, plots, progress bars, and the screen of `treewhile type`."""
