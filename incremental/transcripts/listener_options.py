"""Options of a listener's documents: those of sessions, checked, with the streams that updates need."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from treewhile.incremental.sessions.messages import OptionChanges, Stream
from treewhile.oracles.errors import InputError

STREAMS: Final[tuple[Stream, ...]] = ("analyses", "completeness")
OPTIONS: Final = OptionChanges(streams=[*STREAMS])
SHOWN: Final = (*STREAMS, "constituents")  # streams that add to updates


def listener_options(given: OptionChanges | None) -> OptionChanges:
    """Return the options with the listener's own streams; an InputError for unsuitable ones."""
    if given is None:
        return OPTIONS
    if not isinstance(given, OptionChanges):
        raise InputError(f"{given!r:.40} are no options: give OptionChanges")
    streams = [*(_checked(given).streams or ())]
    hidden = next((stream for stream in streams if stream not in SHOWN), None)
    if hidden is not None:
        raise InputError(f"updates have no room for the stream {hidden!r}: leave it out")
    return replace(given, streams=[*STREAMS, *(stream for stream in streams if stream not in STREAMS)])


def _checked(given: OptionChanges) -> OptionChanges:
    try:
        return msgspec.convert(msgspec.to_builtins(given), OptionChanges)
    except (msgspec.ValidationError, TypeError) as error:
        why, _, place = str(error).partition(" - at `$.")
        name = place.rstrip("`") or "one of them"
        raise InputError(f"the option {name} of a listener does not fit: {why}") from None
