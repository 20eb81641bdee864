"""The server as a process: sockets and threads from start to drain, workers, compilation."""
