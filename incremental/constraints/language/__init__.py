"""Language of constraints, from the text of a file to checked terms; each module imports from those above.

written        tokens, items and expressions as written, with positions
lexicon        patterns of forms, and tables of words
terms          checked constraints, in the operations that later passes use, and their names
spellings      shapes, and names that are the spelling of no word
ranges         ranges of numbers, and comparisons that these decide
syntax         parser from tokens to items
known_names    names of Universal Dependencies and of a model
checking       checks from items to constraints
name_checks    names that can never hold
grammars       grammar files, installed grammars, and includes
adaptations    grammars for other root labels than `root`, and for edges that may cross or may not
mistakes       all mistakes of a grammar in one run
"""
