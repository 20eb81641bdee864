"""An editor that talks to `treewhile lsp` over pipes, through pygls's own client."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

COMMAND = (sys.executable, "-m", "treewhile.server.commands", "lsp")
PATIENCE = 60  # seconds


class Editor:
    """What an editor knows: the newest diagnostics of each document, and what it was told."""

    def __init__(self, settings: object = None, asked: Callable[[str], object] | None = None) -> None:
        self.client = LanguageClient("editor", "1")
        self.settings, self.asked = settings, asked
        self.diagnostics: dict[str, types.PublishDiagnosticsParams] = {}
        self.shown: list[str] = []
        self.logged: list[str] = []
        self.refreshed = self.lists = 0
        self.changed = asyncio.Event()
        listen = self.client.feature
        listen(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda news: self._take(news))
        listen(types.WINDOW_SHOW_MESSAGE)(lambda shown: self._note(self.shown, shown.message))
        listen(types.WINDOW_LOG_MESSAGE)(lambda logged: self._note(self.logged, logged.message))
        listen(types.WORKSPACE_CONFIGURATION)(lambda question: self._answer(question))
        listen(types.WORKSPACE_INLAY_HINT_REFRESH)(lambda *_: self._refresh())
        listen(types.CLIENT_REGISTER_CAPABILITY)(lambda *_: None)

    async def __aenter__(self) -> Editor:
        await self.client.start_io(*COMMAND)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.process.returncode is None:
            await asyncio.wait_for(self.client.shutdown_async(None), PATIENCE)
            self.client.exit(None)
            await asyncio.wait_for(self.process.wait(), PATIENCE)
        await self.client.stop()

    @property
    def process(self) -> asyncio.subprocess.Process:
        process = vars(self.client)["_server"]  # pygls has no other name for it
        assert isinstance(process, asyncio.subprocess.Process)
        return process

    async def begin(
        self, encodings: list[types.PositionEncodingKind | str] | None = None, process_id: int | None = None
    ) -> types.InitializeResult:
        """Introduces itself; it can be asked for hints again, and for settings if it has an answer."""
        workspace = types.WorkspaceClientCapabilities(
            configuration=self.asked is not None,
            inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True),
        )
        general = types.GeneralClientCapabilities(position_encodings=encodings)
        answer = await asyncio.wait_for(
            self.client.initialize_async(
                types.InitializeParams(
                    capabilities=types.ClientCapabilities(workspace=workspace, general=general),
                    process_id=process_id or os.getpid(),
                    initialization_options=self.settings,
                )
            ),
            PATIENCE,
        )
        self.client.initialized(types.InitializedParams())
        return answer

    # --- documents ------------------------------------------------------------------------------------------

    def open(self, uri: str, text: str, language: str = "plaintext", version: int = 1) -> None:
        item = types.TextDocumentItem(uri, language, version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, uri: str, version: int, *changes: types.TextDocumentContentChangeEvent) -> None:
        document = types.VersionedTextDocumentIdentifier(uri=uri, version=version)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [*changes]))

    def close(self, uri: str) -> None:
        document = types.TextDocumentIdentifier(uri)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(document))

    def configure(self, settings: object) -> None:
        self.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))

    async def until(self, is_so: Callable[[], object]) -> None:
        """Waits for something that the server says."""
        async with asyncio.timeout(PATIENCE):
            while not is_so():
                self.changed.clear()
                await self.changed.wait()

    async def answered(self, uri: str, version: int) -> None:
        await self.until(lambda: uri in self.diagnostics and self.diagnostics[uri].version == version)

    def marks(self, uri: str) -> list[tuple[str, str]]:
        """The constraints of diagnostics, and where they are."""
        news = self.diagnostics.get(uri)
        return [(str(one.code), _spelt(one.range)) for one in news.diagnostics] if news else []

    # --- questions ------------------------------------------------------------------------------------------

    async def hover(self, uri: str, line: int, character: int) -> str | None:
        asked = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        hover = await _soon(self.client.text_document_hover_async(asked))
        return hover.contents.value if hover else None

    async def hints(self, uri: str) -> list[tuple[str, str]]:
        everywhere = types.Range(types.Position(0, 0), types.Position(1 << 20, 0))
        asked = types.InlayHintParams(types.TextDocumentIdentifier(uri), everywhere)
        hints = await _soon(self.client.text_document_inlay_hint_async(asked))
        return [(one.label, f"{one.position.line}:{one.position.character}") for one in hints or []]

    async def selections(self, uri: str, line: int, character: int) -> list[str]:
        asked = types.SelectionRangeParams(
            types.TextDocumentIdentifier(uri), [types.Position(line, character)]
        )
        [selection] = await _soon(self.client.text_document_selection_range_async(asked))
        ranges = []
        while selection:
            ranges.append(_spelt(selection.range))
            selection = selection.parent
        return ranges

    # --- what the server says -------------------------------------------------------------------------------

    def _take(self, news: types.PublishDiagnosticsParams) -> None:
        self.diagnostics[news.uri] = news
        self.lists += 1
        self.changed.set()

    def _note(self, notes: list[str], line: str) -> None:
        notes.append(line)
        self.changed.set()

    def _answer(self, question: types.ConfigurationParams) -> list[Any]:
        assert self.asked
        return [self.asked(item.scope_uri or "") for item in question.items]

    def _refresh(self) -> None:
        self.refreshed += 1
        self.changed.set()


async def _soon(answer: Awaitable[Any]) -> Any:
    return await asyncio.wait_for(answer, PATIENCE)


def _spelt(found: types.Range) -> str:
    return f"{found.start.line}:{found.start.character}-{found.end.line}:{found.end.character}"


def replaced(line: int, start: int, end: int, text: str) -> types.TextDocumentContentChangePartial:
    """A change within a line."""
    return types.TextDocumentContentChangePartial(
        range=types.Range(types.Position(line, start), types.Position(line, end)), text=text
    )


def everything(text: str) -> types.TextDocumentContentChangeWholeDocument:
    return types.TextDocumentContentChangeWholeDocument(text=text)
