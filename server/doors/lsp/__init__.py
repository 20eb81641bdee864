"""A language server: analyses of prose for editors that speak the language server protocol, through pygls."""

from treewhile.server.doors.extras import needs

with needs("lsp"):
    import lsprotocol as lsprotocol
    import pygls as pygls
