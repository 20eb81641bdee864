"""A package, so that its tests share a browser and no other test does."""
