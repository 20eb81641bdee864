"""Stores of sessions that wait for their clients: in memory, in a file, or on other machines."""
