"""Language of constraints, from the text of a file to checked terms; each module imports from those above.

written        tokens, items and expressions as written, with positions
syntax         parser from tokens to items
terms          checked constraints, in the operations that later passes use, and their names
checking       checks from items to constraints
grammars       grammar files, installed grammars, and includes
adaptations    grammars for other root labels than `root`, and for edges that may cross or may not
doubts         probable mistakes
"""
