"""Language server: analyses of prose in editors that use the language server protocol, with pygls."""

from treewhile.server.errors import needs

with needs("lsp"):
    import lsprotocol as lsprotocol
    import pygls as pygls
