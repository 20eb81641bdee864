"""What `treewhile train` does, a module for each thing that is learnt, and how it is shown."""
