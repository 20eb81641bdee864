"""Language server on standard input and output."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Generator, Mapping
from importlib.metadata import version
from typing import Any, Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from treewhile.server.doors.lsp.hovers import hover_at
from treewhile.server.doors.lsp.open_documents import OpenDocuments
from treewhile.server.doors.lsp.selections import selection_at
from treewhile.server.doors.lsp.settings import BLOCK
from treewhile.server.process.settings import keep_waits_short

LOOK_AGAIN: Final = 5.0  # seconds; a dead editor may have left its pipes open in other processes


class Protocol(LanguageServerProtocol):
    """Handlers of the editor's messages.

    Documents are kept here, since pygls would scan all lines for each typed letter.
    """

    def __init__(self, server: LanguageServer, converter: Any) -> None:
        super().__init__(server, converter)
        self.documents = OpenDocuments(server)
        self.is_shut_down = False

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        self.documents.configure(params.initialization_options)
        if params.process_id is not None and os.name == "posix":
            self._watch(params.process_id)
        return (yield from super().lsp_initialize(params))

    @lsp_method(types.INITIALIZED)
    def lsp_initialized(self, *_: object) -> None:
        """Register for changes of settings."""
        workspace = self.client_capabilities.workspace
        changes = workspace and workspace.did_change_configuration
        if changes and changes.dynamic_registration:
            method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
            options = types.DidChangeConfigurationRegistrationOptions(BLOCK)
            registration = types.Registration(method, method, options)
            self._server.client_register_capability(types.RegistrationParams([registration]))

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *_: object) -> Generator[Any, Any, None]:
        self.is_shut_down = True
        yield from super().lsp_shutdown()

    @lsp_method(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configure(self, params: types.DidChangeConfigurationParams) -> None:
        is_named = isinstance(params.settings, Mapping) and BLOCK in params.settings
        self.documents.configure(params.settings[BLOCK] if is_named else None)

    # --- documents ------------------------------------------------------------------------------------------

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self.documents.open(params.text_document)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        self.documents.change(document.uri, document.version, params.content_changes)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self.documents.close(params.text_document.uri)

    # --- requests -------------------------------------------------------------------------------------------

    @lsp_method(types.TEXT_DOCUMENT_HOVER)
    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        document = self.documents.get(params.text_document.uri)
        if document is None or not await document.answered() or not document.text.has(params.position):
            return None
        place = document.text.place(params.position)
        return hover_at(place, document.sentences, document.text, _reads_markdown(self.client_capabilities))

    @lsp_method(types.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay_hints(self, params: types.InlayHintParams) -> list[types.InlayHint] | None:
        document = self.documents.get(params.text_document.uri)
        if document is None or not await document.answered():
            return None
        first, last = params.range.start, params.range.end
        return [hint for hint in document.hints() if first <= hint.position <= last]

    @lsp_method(types.TEXT_DOCUMENT_SELECTION_RANGE)
    async def selection_ranges(self, params: types.SelectionRangeParams) -> list[types.SelectionRange] | None:
        document = self.documents.get(params.text_document.uri)
        if document is None:
            return None
        sentences = document.sentences if await document.answered() else []
        places = map(document.text.place, params.positions)
        return [selection_at(place, sentences, document.text) for place in places]

    # --- end of the editor ----------------------------------------------------------------------------------

    def _watch(self, editor: int) -> None:
        """End this process when the process of the editor has ended, checked in intervals."""
        try:
            os.kill(editor, 0)
        except ProcessLookupError:
            os._exit(1)
        except PermissionError:
            pass  # the process runs, as another user
        asyncio.get_running_loop().call_later(LOOK_AGAIN, self._watch, editor)


class Server(LanguageServer):
    """Server that writes its errors to the log of the editor, where they do not disturb."""

    def report_server_error(self, error: Exception, source: object) -> None:
        said = f"treewhile: {type(error).__name__}: {error}".partition("\n")[0]
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, f"{said:.300}"))


def _reads_markdown(editor: types.ClientCapabilities) -> bool:
    documents = editor.text_document
    formats = documents and documents.hover and documents.hover.content_format
    return not formats or formats[0] == types.MarkupKind.Markdown


def serve() -> int:
    """Serve the editor on standard input and output until it disconnects, and return the exit code.

    Other output goes to standard error, and no other code reads standard input.
    """
    keep_waits_short()
    logging.getLogger("pygls").addHandler(logging.NullHandler())
    logging.getLogger("pygls").propagate = False
    said, told = (os.fdopen(os.dup(number), mode) for number, mode in ((0, "rb"), (1, "wb")))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(sys.stderr.fileno(), 1)
    server = Server(BLOCK, version("treewhile"), protocol_cls=Protocol)
    server.start_io(said, told)
    return 0 if server.protocol.is_shut_down else 1
