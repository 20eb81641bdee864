"""The thin shell round the engine: the command line now, the websocket, its scheduling and metrics later."""
