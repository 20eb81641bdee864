"""Kernels of sessions, built ahead of time as extension modules, for this machine.

kernel_types.txt    kernels that sessions were seen to call, with the types of their arguments
argument_types      such types, as texts and as numba has them
extension_modules   kernels as an extension module, by numba's and a C compiler
builder             all of them, in a few processes
__main__            `python -m treewhile.incremental.building`
"""
