"""The desk of a server: the process that answers requests over HTTP, and what the doors there share."""
