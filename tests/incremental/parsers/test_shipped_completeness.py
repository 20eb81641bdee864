"""Every shipped model tells a whole sentence from one that must go on."""

from __future__ import annotations

import pytest
from growing_parses import grown

from treewhile.incremental import load_model
from treewhile.incremental.completeness import Completeness

SAID = {
    "en": ("she gave the dog a bone", "she gave the dog a"),
    "af": ("sy het die hond gesien", "sy het die"),
    "de": ("sie hat den hund gesehen", "sie hat den"),
    "es": ("ella ha visto al perro", "ella ha visto al"),
    "fr": ("elle a vu le chien", "elle a vu le"),
    "nl": ("zij heeft de hond gezien", "zij heeft de"),
    "pt": ("ela viu o cachorro", "ela viu o"),
}


def completeness_of(model: str, text: str) -> Completeness:
    return grown(load_model(model), text.split()).completeness()


@pytest.mark.parametrize("model", SAID)
def test_what_must_go_on_is_less_complete(model: str) -> None:
    whole, broken = (completeness_of(model, text) for text in SAID[model])
    assert whole.may_end > 10 * broken.may_end
    assert whole.ends > 10 * broken.ends
