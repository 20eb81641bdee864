"""Kernels of sessions, built ahead of time as extension modules, for this machine.

kernel_types.txt    the kernels that a server was seen to call, with the types of their arguments
argument_types      such types, as texts and as numba has them
extension_modules   kernels as an extension module, by numba's and a C compiler
__main__            `python -m treewhile.incremental.building`: all of them, in a few processes
"""
