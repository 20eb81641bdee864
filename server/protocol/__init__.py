"""What goes over a socket: events, messages, close codes, and their description for other programs."""
