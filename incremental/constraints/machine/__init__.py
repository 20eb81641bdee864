"""Machine that judges analyses by constraints.

costs, list_numbers   integers for penalties, and for lists of constraints
kernels               the compiled loops
spellings, asked      attributes of single words, and those used by grammars
code, label_truth,
label_lists           a grammar as numbers: code, truth by labels, constraints left for each label
programs              compiled grammars for the labels of a model
situations            the data of a prefix
views, definition     the same judgements in plain Python: the meaning of constraints
judging               judgements of the kernels about edges, pairs and analyses
"""
