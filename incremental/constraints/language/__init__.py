"""The language of constraints: written, checked, and kept as grammars."""
