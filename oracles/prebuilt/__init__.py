"""Kernels that were compiled before: extension modules that a process loads without any compiler.

library      the folder of these modules, by a digest of all that they rest on
dispatch.c   a callable that hands arguments of the types for which a kernel was built to that kernel

`treewhile.incremental.building` builds them.
"""
