"""Training of models in torch; no other folder needs these modules."""
