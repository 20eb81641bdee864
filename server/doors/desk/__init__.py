"""Desk of a server: the process that answers HTTP requests, and code that its doors share."""
