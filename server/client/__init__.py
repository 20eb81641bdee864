"""Python client of a server: documents whose analyses arrive while words are sent."""

from treewhile.server.client.client import Client, connect
from treewhile.server.client.documents import Document
from treewhile.server.client.listeners import RemoteListener
from treewhile.server.errors import DisconnectedError, DocumentError

__all__ = ["Client", "DisconnectedError", "Document", "DocumentError", "RemoteListener", "connect"]
