"""Codes of the languages of Universal Dependencies by their names, as used in names of UDPipe models."""

from __future__ import annotations

from typing import Final

LISTED: Final = """
    afrikaans:af albanian:sq amharic:am ancient_greek:grc ancient_hebrew:hbo arabic:ar armenian:hy
    basque:eu belarusian:be bengali:bn breton:br bulgarian:bg buryat:bxr catalan:ca chinese:zh
    classical_chinese:lzh coptic:cop croatian:hr czech:cs danish:da dutch:nl english:en erzya:myv
    estonian:et faroese:fo finnish:fi french:fr galician:gl georgian:ka german:de gothic:got greek:el
    hebrew:he hindi:hi hungarian:hu icelandic:is indonesian:id irish:ga italian:it japanese:ja kazakh:kk
    korean:ko kurmanji:kmr latin:la latvian:lv ligurian:lij lithuanian:lt maltese:mt manx:gv marathi:mr
    naija:pcm north_sami:sme norwegian:no old_church_slavonic:cu old_east_slavic:orv old_french:fro
    persian:fa polish:pl pomak:qpm portuguese:pt romanian:ro russian:ru sanskrit:sa scottish_gaelic:gd
    serbian:sr slovak:sk slovenian:sl spanish:es swedish:sv tamil:ta telugu:te thai:th turkish:tr
    ukrainian:uk urdu:ur uyghur:ug vietnamese:vi welsh:cy western_armenian:hyw wolof:wo
"""
CODES: Final = dict(pair.split(":") for pair in LISTED.split())


def language_of(model: str) -> str:
    """Return the language code of a model by the first part of its name, as in `english-ewt-ud-2.15`."""
    first = model.lower().split("-")[0]
    return CODES.get(first) or first.split("_")[0]
