"""Machine that judges analyses by constraints.

costs                 integers for penalties
kernels               the compiled loops
attributes            attributes of single words, and those used by grammars
code, label_lists     a grammar as numbers: code, and constraints left for each label
programs              compiled grammars for the labels of a model
situations            the data of a prefix
definition            the same judgements in plain Python: the meaning of constraints
judging               judgements of the kernels about edges, pairs and analyses
"""
