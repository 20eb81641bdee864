from __future__ import annotations

import io
import json

from treewhile.server.logs import json_log, library_logger, place_of


def lines(file: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.getvalue().splitlines()]


def test_a_line_is_an_object_with_a_time() -> None:
    file = io.StringIO()
    json_log(file).info("listening", port=8080)
    [line] = lines(file)
    assert (line["event"], line["port"], line["level"]) == ("listening", 8080, "info")
    assert "timestamp" in line


def test_an_error_is_told_by_its_kind_and_place_not_by_what_it_quotes() -> None:
    try:
        raise ValueError("what somebody typed")
    except ValueError as error:
        told = place_of(error)
        file = io.StringIO()
        library_logger(json_log(file)).error("connection handler failed", exc_info=True)
    assert told.startswith("ValueError at test_logs.py:")
    [line] = lines(file)
    assert line["said"] == "connection handler failed"
    assert str(line["error"]).startswith("ValueError at test_logs.py:")
    assert "typed" not in file.getvalue()


def test_what_the_library_says_on_the_way_is_left_out() -> None:
    file = io.StringIO()
    library_logger(json_log(file)).info("connection open")
    assert not file.getvalue()
