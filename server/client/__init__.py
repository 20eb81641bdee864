"""The client: documents on a server, from Python."""

from treewhile.server.client.client import Client, DisconnectedError, connect
from treewhile.server.client.documents import Document, DocumentError

__all__ = ["Client", "DisconnectedError", "Document", "DocumentError", "connect"]
