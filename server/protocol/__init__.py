"""Websocket protocol: events, messages, close codes, and descriptions for other programs."""
