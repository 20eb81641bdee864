"""Doors: where others plug treewhile in. Each is thin, needs its extra, and is imported by nobody else."""
