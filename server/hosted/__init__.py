"""Sessions of clients on a server: they outlive their sockets, and what they have received is kept."""
