"""Models and what they say: from forms to states, scores, steps and trees."""
