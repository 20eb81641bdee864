"""The compiled loops of the constraints, by subject; each module imports from those above it alone.

    references     tuples handed on by reference, and fences between threads
    references_in_numba  types and instructions that numba lacks for them
    inside_numba   ways to compile all of this
    pooling        what the model says of heads to come, pooled
    operations     what the machine can do
    records        what loops hand to each other, and the columns of arrays
    context        what constraints ask of a whole analysis
    interpreter    the machine, which runs the code of a formula
    lists          the constraints on one edge; all labels of an arc at once
    pairs          the constraints on two edges
    analyses       everything that an analysis breaks
    arcs           what edges cost by themselves, judged once they are asked for
    changes        another head for a dependent, and what moves along
    floors         what trees cost at least
    attacks        the best tree that is rid of a conflict
    rows           attacks in a row, and rows in turn

As elsewhere, a kernel trusts its caller. `definition` and `search.changes` define what they compute.

Three rules keep the time short that numba takes to compile this. It compiles a function anew for each
combination of types, and a constant has a type of its own: so trees and all numbers that functions hand to
each other are int64, and the constants among them np.int64. Along with a function it optimizes again all that
this calls: so above the machine small functions are inlined. And what Python calls allocates in Python, since
counting references takes long to compile as well.
"""
