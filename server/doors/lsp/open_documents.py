"""Open documents of an editor, with settings, models, and notifications to the editor."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from treewhile.incremental.messages import AnyMessage
from treewhile.oracles.errors import InputError
from treewhile.server.doors.lsp.analysed_documents import AnalysedDocument, ModelSession
from treewhile.server.doors.lsp.settings import BLOCK, Settings, read_settings
from treewhile.server.doors.lsp.told_diagnostics import ToldDiagnostics

LONGEST_WAIT: Final = 5.0  # seconds for the answer of an editor to a request for settings
MOST_SAID: Final = 1000  # remembered sentences, so that none is shown twice


class OpenDocuments:
    """Open documents of one editor."""

    def __init__(self, editor: LanguageServer) -> None:
        self._editor = editor
        self._documents: dict[str, AnalysedDocument] = {}  # by their URIs
        self._models: dict[str, ModelSession] = {}
        self._given: object = None  # settings sent by the editor
        self._tasks = set[asyncio.Task[None]]()
        self._said = set[str]()
        self._told: dict[str, ToldDiagnostics] = {}
        self._hints: dict[str, list[types.InlayHint]] = {}
        self._has_new_hints = self._is_refreshing = False
        self._can_ask = True
        self._arranging = asyncio.Lock()

    def get(self, uri: str) -> AnalysedDocument | None:
        return self._documents.get(uri)

    # --- messages of the editor -----------------------------------------------------------------------------

    def open(self, opened: types.TextDocumentItem) -> None:
        self.close(opened.uri)
        encoding = self._editor.workspace.position_encoding
        document = AnalysedDocument(opened, getattr(encoding, "value", encoding))
        self._documents[opened.uri] = document
        self._told[opened.uri] = ToldDiagnostics(document, partial(self._publish, opened.uri))
        self._begin(self._arrange([document]))

    def change(self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        document = self._documents.get(uri)
        if document:
            document.change(version, changes)
            self._update(document)

    def close(self, uri: str) -> None:
        document = self._documents.pop(uri, None)
        if document is None:
            return
        document.leave()
        self._hints.pop(uri, None)
        self._told.pop(uri).close()
        for other in self._documents.values():  # another document may have room now
            other.try_again()
            self._update(other)

    def configure(self, block: object) -> None:
        """Use new settings, or ask the editor for them if None."""
        self._given = self._given if block is None else block
        self._begin(self._arrange([*self._documents.values()]))

    # --- settings and models --------------------------------------------------------------------------------

    async def _arrange(self, documents: Sequence[AnalysedDocument]) -> None:
        """Apply the settings of documents, and start their analyses."""
        async with self._arranging:
            given = await self._settings_of(documents)
            for document, settings in zip(documents, given, strict=True):
                if self._documents.get(document.uri) is document:
                    document.use(settings, self._model(settings.model_for(document.language)))
                    self._update(document)

    async def _settings_of(self, documents: Sequence[AnalysedDocument]) -> list[Settings]:
        """Return the settings of each document: those of its folder, or those sent for all documents."""
        blocks = await self._asked([types.ConfigurationItem(document.uri, BLOCK) for document in documents])
        if not isinstance(blocks, list | tuple) or len(blocks) != len(documents):
            blocks = [None] * len(documents)
        return [self._read(block or self._given) for block in blocks]

    async def _asked(self, items: list[types.ConfigurationItem]) -> object:
        """Return the editor's answer to a request for settings, or None.

        An editor that does not answer is not asked again.
        """
        workspace = self._editor.client_capabilities.workspace
        if not (items and self._can_ask and workspace and workspace.configuration):
            return None
        question = self._editor.workspace_configuration_async(types.ConfigurationParams(items))
        try:
            return await asyncio.wait_for(question, LONGEST_WAIT)
        except (JsonRpcException, TimeoutError) as error:
            self._can_ask = False
            self._log(f"the editor does not tell its settings ({error!r:.200}): those that it has sent count")
            return None

    def _read(self, block: object) -> Settings:
        settings, complaints = read_settings(block)
        for complaint in complaints:
            self._say(complaint, types.MessageType.Warning)
        return settings

    def _model(self, name: str) -> ModelSession:
        """Return the session of a model, and load a new model."""
        if name not in self._models:
            self._models[name] = ModelSession(name, self._take)
            self._begin(self._load(name))
        return self._models[name]

    async def _load(self, name: str) -> None:
        try:
            await self._models[name].load()
        except InputError as error:
            del self._models[name]  # a later attempt may succeed
            self._say(f"Nothing is analysed with the model {name!r:.60}: {error}.", types.MessageType.Error)
            return
        for document in self._documents.values():
            document.follow()
            self._update(document)

    # --- messages to the editor -----------------------------------------------------------------------------

    def _take(self, messages: Iterable[AnyMessage]) -> None:
        """Process messages of a session."""
        named = {document.name: document for document in self._documents.values()}
        told = dict[AnalysedDocument, None]()
        for message in messages:
            document = named.get(message.document or "")
            if document:
                document.take(message)
                told[document] = None
        for document in told:
            self._update(document)

    def _update(self, document: AnalysedDocument) -> None:
        """Send new diagnostics and hints of a document, if they are about the present text."""
        if document.refusal:
            self._say(document.refusal, types.MessageType.Info)
        if not document.is_tellable:
            return
        self._told[document.uri].update()
        hints = document.hints()
        if self._hints.get(document.uri, []) != hints:
            self._hints[document.uri] = hints
            self._refresh_hints()

    def _publish(self, uri: str, version: int | None, diagnostics: list[types.Diagnostic]) -> None:
        self._editor.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=diagnostics)
        )

    def _refresh_hints(self) -> None:
        """Make the editor request hints again, if it supports that."""
        workspace = self._editor.client_capabilities.workspace
        if not (workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support):
            return
        self._has_new_hints = True
        if not self._is_refreshing:
            self._begin(self._refresh())

    async def _refresh(self) -> None:
        self._is_refreshing = True
        while self._has_new_hints:
            self._has_new_hints = False
            with suppress(JsonRpcException):
                await self._editor.workspace_inlay_hint_refresh_async(None)
        self._is_refreshing = False

    def _say(self, sentence: str, kind: types.MessageType) -> None:
        """Show a sentence to the user, once."""
        if sentence not in self._said and len(self._said) < MOST_SAID:
            self._said.add(sentence)
            self._editor.window_show_message(types.ShowMessageParams(kind, sentence))

    def _log(self, line: str) -> None:
        self._editor.window_log_message(types.LogMessageParams(types.MessageType.Info, f"treewhile: {line}"))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
