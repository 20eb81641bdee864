"""Parsing models: from word forms to states, scores, steps and trees."""
