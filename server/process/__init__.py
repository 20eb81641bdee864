"""Processes of a server: start, workers, compilation, reload and end."""
