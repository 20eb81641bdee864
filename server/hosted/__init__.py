"""Sessions of clients on a server, which outlive their sockets and whose events are stored; metrics."""
