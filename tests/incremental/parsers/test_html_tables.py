from __future__ import annotations

from treewhile.incremental.parsers.analyses import html_table


def test_what_stands_in_a_table_is_text() -> None:
    table = html_table(["<b>", "&"], [(1, "<script>"), ("'", '"')])
    assert table == (
        "<table><thead><tr><th>&lt;b&gt;</th><th>&amp;</th></tr></thead>"
        "<tbody><tr><td>1</td><td>&lt;script&gt;</td></tr><tr><td>&#x27;</td><td>&quot;</td></tr></tbody></table>"
    )
