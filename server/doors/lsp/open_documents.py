"""The documents that an editor has open, their settings and models, and what the editor is told of them."""

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
from treewhile.server.doors.lsp.analysed_documents import AnalysedDocument
from treewhile.server.doors.lsp.model_sessions import ModelSession
from treewhile.server.doors.lsp.settings import BLOCK, Settings, read_settings
from treewhile.server.doors.lsp.told_diagnostics import ToldDiagnostics

LONGEST_WAIT: Final = 5.0  # seconds, for an editor that was asked for its settings
MOST_SAID: Final = 1000  # sentences; it is remembered what was said, so that nothing is said twice


class OpenDocuments:
    """All of one editor."""

    def __init__(self, editor: LanguageServer) -> None:
        self._editor = editor
        self._documents: dict[str, AnalysedDocument] = {}  # by their addresses
        self._models: dict[str, ModelSession] = {}
        self._given: object = None  # settings that the editor has sent
        self._tasks = set[asyncio.Task[None]]()
        self._said = set[str]()
        self._told: dict[str, ToldDiagnostics] = {}
        self._hints: dict[str, list[types.InlayHint]] = {}
        self._has_new_hints = self._is_refreshing = False
        self._can_ask = True
        self._arranging = asyncio.Lock()

    def get(self, uri: str) -> AnalysedDocument | None:
        return self._documents.get(uri)

    # --- what the editor says -------------------------------------------------------------------------------

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
        for other in self._documents.values():  # there may be room for one that had none
            other.try_again()
            self._update(other)

    def configure(self, block: object) -> None:
        """Takes settings, or None where the editor is to be asked for them."""
        self._given = self._given if block is None else block
        self._begin(self._arrange([*self._documents.values()]))

    # --- settings and models --------------------------------------------------------------------------------

    async def _arrange(self, documents: Sequence[AnalysedDocument]) -> None:
        """Has documents analysed by their settings."""
        async with self._arranging:
            given = await self._settings_of(documents)
            for document, settings in zip(documents, given, strict=True):
                if self._documents.get(document.uri) is document:
                    document.use(settings, self._model(settings.model_for(document.language)))
                    self._update(document)

    async def _settings_of(self, documents: Sequence[AnalysedDocument]) -> list[Settings]:
        """Those of each, since folders may have their own; else what the editor has sent for all."""
        blocks = await self._asked([types.ConfigurationItem(document.uri, BLOCK) for document in documents])
        if not isinstance(blocks, list | tuple) or len(blocks) != len(documents):
            blocks = [None] * len(documents)
        return [self._read(block or self._given) for block in blocks]

    async def _asked(self, items: list[types.ConfigurationItem]) -> object:
        """What the editor answers, if it can be asked; it is not asked again if it does not answer."""
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
        """The session with a model, which is loaded if it is a new one."""
        if name not in self._models:
            self._models[name] = ModelSession(name, self._log, self._take)
            self._begin(self._load(name))
        return self._models[name]

    async def _load(self, name: str) -> None:
        try:
            await self._models[name].load()
        except InputError as error:
            del self._models[name]  # it may be there another time
            self._say(f"Nothing is analysed with the model {name!r:.60}: {error}.", types.MessageType.Error)
            return
        for document in self._documents.values():
            document.follow()
            self._update(document)

    # --- what the editor is told ----------------------------------------------------------------------------

    def _take(self, messages: Iterable[AnyMessage]) -> None:
        """Takes what a session says of documents."""
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
        """Tells what is new of a document, once it is about the present text; a newer edit overtakes it."""
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
        """Has the editor ask for hints again, if it can; once more if there are others by then."""
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
        """Shows a sentence to who writes, once."""
        if sentence not in self._said and len(self._said) < MOST_SAID:
            self._said.add(sentence)
            self._editor.window_show_message(types.ShowMessageParams(kind, sentence))

    def _log(self, line: str) -> None:
        self._editor.window_log_message(types.LogMessageParams(types.MessageType.Info, f"treewhile: {line}"))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
