"""The search for analyses that break fewer constraints, and what tunes their penalties."""
