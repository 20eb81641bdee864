"""The language of constraints, from the text of a file to checked terms; each module rests on those above it.

tokens         what a file consists of, with places
written        items and expressions as they were written
syntax         tokens into items
terms          checked constraints, in the operations that every later pass knows
vocabulary     the names that formulas may use
checking       items into constraints
grammars       files, those that come along, and what they include
root_labels    grammars for treebanks whose root label is not `root`
crossings      grammars for trees whose edges may cross or may not
doubts         what is probably a mistake
"""
