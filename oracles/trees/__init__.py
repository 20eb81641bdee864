"""Classes of dependency trees from projective to all: membership in them, and the best tree of each."""
