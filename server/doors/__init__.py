"""Doors: integrations with other programs, each with its own extra and imported by no other module."""
