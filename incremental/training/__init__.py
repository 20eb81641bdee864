"""Training of models in torch: nothing outside this folder needs it."""
