"""Search for analyses with fewer conflicts.

trees                         trees, analyses as trees, and removed conflicts
attackers, frobbing           the work of one thread, and the whole search
tag_search                    the same among likely tags of words
conflicts                     conflicts of an analysis, for people
deciding_constraints          constraints that speak for an arc and against its rival
pooled_logs                   the model's probabilities, in the search's notation
ruled_trees                   found trees by the rules of Universal Dependencies
searcher                      the search of a session
offered_grammars              grammars for documents: files, installed ones, and edited texts
"""
