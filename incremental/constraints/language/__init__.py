"""Language of constraints, from the text of a file to checked terms; each module imports from those above.

tokens         tokens of a file, with positions
written        items and expressions as written
syntax         parser from tokens to items
terms          checked constraints, in the operations that later passes use
vocabulary     the names that formulas may use
checking       checks from items to constraints
grammars       grammar files, installed grammars, and includes
root_labels    grammars for treebanks whose root label is not `root`
crossings      grammars for trees whose edges may cross or may not
doubts         probable mistakes
"""
