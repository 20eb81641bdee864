"""The search for analyses that break fewer constraints, and what tunes their penalties.

trees                         trees and removed conflicts
attackers, frobbing           what one thread does, and the search of all
conflicts                     what an analysis breaks, for people
pooled_logs, parses           what the model says, and its parses, as a search has them
searcher                      the search of a session
tuning                        penalties that fit a treebank
"""
