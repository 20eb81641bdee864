"""Files that the page opens and saves."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def saved_forms(page: Any) -> list[str]:
    """The words of all sentences, as the page saves them."""
    lines = saved_conllu(page).splitlines()
    return [line.split("\t")[1] for line in lines if "\t" in line]


def open_file(page: Any, name: str, contents: str | bytes) -> None:
    buffer = contents if isinstance(contents, bytes) else contents.encode()
    page.locator("#file").set_input_files(files=[{"name": name, "mimeType": "text/plain", "buffer": buffer}])


def saved_conllu(page: Any) -> str:
    """The file that the page saves."""
    with page.expect_download() as download:
        page.locator("#save-conllu").click()
    return Path(download.value.path()).read_bytes().decode()
