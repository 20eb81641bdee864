"""Workbench for people who write grammars: what the commands `treewhile grammar ...` compute.

resolved_texts      grammars in the words of their authors, with includes in place
certainties         constraints that labels or names alone decide
contradictions      pairs of hard constraints that no tree of some sentence keeps
judged_treebanks    trees of treebanks under a grammar
searched_sentences  whole sentences searched under a grammar
statistics          how often constraints apply and are broken
differences         trees under two grammars
explanations        two trees by their costs, and the smallest change of penalties that turns them
examples            examples beside constraints that do not show what they should
tuning              penalties that fit a treebank
profiles            what searches cost with and without each constraint
first_grammars      grammars from treebanks
formula_texts       terms as texts
silences            why constraints are not broken

"""
