"""Network connections of a server: sockets, plain HTTP, origins and tokens."""
