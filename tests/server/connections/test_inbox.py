from __future__ import annotations

from websockets.frames import Frame, Opcode

from treewhile.server.connections.sockets import Inbox


def text(said: bytes, fin: bool = True) -> Frame:
    return Frame(Opcode.TEXT, said, fin)


def more(said: bytes, fin: bool = False) -> Frame:
    return Frame(Opcode.CONT, said, fin)


class Ear:
    """Hears messages, and after so many of them no more for now."""

    def __init__(self, inbox: Inbox, most: int = 100) -> None:
        self.heard: list[tuple[bytes, bool]] = []
        self._inbox, self._most = inbox, most

    def hear(self, said: bytes, is_text: bool) -> None:
        self.heard.append((said, is_text))
        if len(self.heard) % self._most == 0:
            self._inbox.hold()


def test_messages_go_to_the_listener_as_they_come() -> None:
    inbox = Inbox()
    ear = Ear(inbox)
    inbox.listen(ear.hear)
    inbox.put(text(b"a"))
    assert ear.heard == [(b"a", True)]
    inbox.put(Frame(Opcode.BINARY, bytearray(b"b")))
    assert ear.heard == [(b"a", True), (b"b", False)]
    assert not inbox.has_waiting


def test_fragments_are_one_message_of_the_kind_of_the_first() -> None:
    inbox = Inbox()
    ear = Ear(inbox)
    inbox.listen(ear.hear)
    for number, frame in enumerate((text(b"a", fin=False), more(b"b"), more(b"")), 1):
        inbox.put(frame)
        assert inbox.fragments == number
    assert ear.heard == []
    inbox.put(more(b"c", fin=True))
    inbox.put(text(b"d"))
    assert ear.heard == [(b"abc", True), (b"d", True)]
    assert inbox.fragments == 0


def test_what_comes_while_nobody_listens_waits_in_order() -> None:
    inbox = Inbox()
    for said in (b"a", b"b", b"c"):
        inbox.put(text(said))
    assert inbox.has_waiting
    ear = Ear(inbox, most=2)
    inbox.listen(ear.hear)
    assert [said for said, _ in ear.heard] == [b"a", b"b"]
    inbox.put(text(b"d"))
    assert len(ear.heard) == 2
    inbox.listen(ear.hear)
    assert [said for said, _ in ear.heard] == [b"a", b"b", b"c", b"d"]
    assert inbox.has_waiting is False
