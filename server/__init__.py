"""The thin shell round the engine: the server, its client and the command line."""
