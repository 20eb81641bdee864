"""What clients of servers that keep sessions say and hear."""

from __future__ import annotations

from typing import Any, Final

WORDS: Final = ["the", "old", "dog", "sees"]


async def hello(wire: Any, token: str | None = None) -> dict[str, Any]:
    await wire.say("hello", **({"resume": token} if token else {}))
    welcome: dict[str, Any] = await wire.until("welcome")
    return welcome


async def typed(wire: Any) -> str:
    """The token of a session with a document of words, all of them acknowledged."""
    token: str = (await hello(wire))["session"]
    await wire.open(*WORDS)
    await wire.say("append", document="d", version=1, words=["cat"])
    await wire.answered(1)
    return token


def held(welcome: dict[str, Any]) -> dict[str, int]:
    """The documents of a session with their versions."""
    return {one["document"]: one["version"] for one in welcome["documents"]}
