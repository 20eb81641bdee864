"""Websocket server around the incremental engine, with its client and the command line."""
