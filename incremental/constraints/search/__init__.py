"""Search for analyses with fewer conflicts, and tuning of penalties.

trees                         trees and removed conflicts
attackers, frobbing           the work of one thread, and the whole search
conflicts                     conflicts of an analysis, for people
pooled_logs, parses           the model's probabilities and parses, in the search's notation
searcher                      the search of a session
tuning                        penalties that fit a treebank
"""
