"""The machine that judges analyses by constraints.

costs, list_numbers   whole numbers for penalties, and for lists of constraints
kernels               the compiled loops
spellings, asked      what may be asked of a single word, and what grammars do ask
code, label_truth,
label_lists           a grammar in numbers: code, what labels decide, which constraints are left for them
programs              all of that for the labels of a model
situations            what may be asked of a prefix
views, definition     the same judgements in plain Python: what constraints mean
judging               what the kernels say of edges, pairs and analyses
"""
