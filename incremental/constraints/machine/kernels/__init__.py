"""Compiled loops of the constraints, by subject; each module imports from those above it alone.

    references     tuples handed on by reference, and fences between threads
    references_in_numba  types and instructions that numba lacks for them
    inside_numba   ways to compile all of this
    pooling        what the model says of heads to come, pooled
    operations     what the machine can do, and the numbers of lists of constraints
    records        what loops hand to each other, and the columns of arrays
    context        what constraints ask of a whole analysis
    interpreter    the machine, which runs the code of a formula
    lists          the constraints on one edge, all labels of an arc at once, and those on two edges
    analyses       all conflicts of an analysis
    arcs           costs of single edges, judged on demand
    changes        a new head for a dependent, and the changes that this entails
    floors         lower bounds on the costs of trees
    attacks        the best tree without a given conflict; attacks in a row, and rows in turn

As elsewhere, a kernel trusts its caller. `definition` and `search.changes` define the results.

Three rules keep numba's compile time short. Numba compiles a function anew for each combination of types, and
a constant has a type of its own: so trees and all numbers that functions pass to each other are int64, and
the constants among them np.int64. Along with a function numba optimizes again all functions called there: so
above the machine small functions are inlined. And functions that Python calls allocate in Python, since
counting references takes long to compile as well.
"""
