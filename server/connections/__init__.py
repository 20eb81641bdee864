"""What comes over the port: sockets, plain HTTP, and who may connect."""
