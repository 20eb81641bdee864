"""Checked contents of a model file: parts of its information, and arrays of the right shapes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.completeness_layers import (
    COMPLETENESS,
    CompletenessLayers,
    completeness_shapes,
)
from treewhile.incremental.parsers.inventories import CHARACTER_CLASSES, Inventory
from treewhile.incremental.parsers.lemma_layers import (
    LEMMAS,
    LemmaClasses,
    LemmaLayers,
    LemmaShape,
    lemma_shapes,
)
from treewhile.incremental.parsers.lemma_rules import RuleClass
from treewhile.incremental.parsers.model_files import ModelFile
from treewhile.incremental.parsers.network_shapes import MISSING, ROLES, SPANS, SPECIAL, Shape, step_outputs
from treewhile.incremental.parsers.span_layers import Chain, SpanLayers, SpanShape, span_shapes
from treewhile.incremental.parsers.told_values import TAGS
from treewhile.incremental.parsers.tree_decoding import PREFIX_CLASSES, PROJECTIVE, check_class
from treewhile.incremental.texts.segmenter import Segmenter
from treewhile.oracles.errors import InputError
from treewhile.oracles.systems import ARC_STANDARD


def array_shapes(inventory: Inventory, shape: Shape) -> dict[str, tuple[int, ...]]:
    """Return the shape of every array of a network, by its name."""
    H, with_values = shape.state, bool(inventory.values)
    word, labels, places = shape.word(with_values), len(inventory.labels), len(inventory.stock)
    shapes = {
        "forms.weight": (len(inventory.forms) + 1, shape.form),
        "ngrams.weight": (inventory.ngram_rows, shape.ngrams),
        "characters.weight": (len(inventory.characters) + len(CHARACTER_CLASSES), shape.character),
        "special": (len(SPECIAL) + places, word + H),
        "arc": (shape.arc + 1, shape.arc),
        "missing": (len(MISSING), H),
        "roles.weight": (len(ROLES) * shape.steps, H),
        "steps_bias": (shape.steps,),
    }
    if with_values:
        shapes["values.weight"] = (len(inventory.values), shape.values)
    for name, inputs, units in (
        ("spelling_forward", shape.character, shape.spelling),
        ("spelling_backward", shape.character, shape.spelling),
        ("causal_first", word, H),
        ("causal_second", H, H),
        ("backward_first", word + H, H),
        ("forward_second", 2 * H, H),
        ("backward_second", 2 * H, H),
    ):
        shapes[f"{name}.weight_ih_l0"], shapes[f"{name}.weight_hh_l0"] = (
            (4 * units, inputs),
            (4 * units, units),
        )
        shapes[f"{name}.bias_ih_l0"] = shapes[f"{name}.bias_hh_l0"] = (4 * units,)
    for name, inputs, outputs in (
        ("early_tags.hidden", H, shape.tagger),
        ("early_tags.tags", shape.tagger, len(inventory.tags)),
        ("early_tags.features", shape.tagger, len(inventory.features)),
        ("tags.hidden", 2 * H, shape.tagger),
        ("tags.tags", shape.tagger, len(inventory.tags)),
        ("tags.features", shape.tagger, len(inventory.features)),
        ("arc_head", 2 * H, shape.arc),
        ("arc_child", 2 * H, shape.arc),
        ("label_head", 2 * H, shape.label),
        ("label_child", 2 * H, shape.label),
        ("label", shape.label, labels),
        ("steps_hidden", shape.steps, shape.steps),
        ("steps", shape.steps, step_outputs(labels)),
        ("awaiting_node", shape.label, shape.awaiting),
        ("awaiting_last", shape.label, shape.awaiting),
        ("awaiting", shape.awaiting, 1),
    ):
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (outputs, inputs), (outputs,)
    return shapes


SEGMENTER: Final = "segmenter"  # part of a model file with the segmenter; prefix of the names of its arrays

LANGUAGE_CODE: Final = re.compile("[a-z]{2,3}(-[A-Za-z0-9]{1,8})*")

TRIPLES: Final = ("siblings", "grandparents")  # parts that models had once

COLDEST, HOTTEST = 0.05, 20.0  # temperatures of the probabilities of arcs

# Limits for layers and weights that are read; sums of their products stay finite.
WIDEST = 1 << 14
LARGEST_WEIGHT = 1e4


def part_of(file: ModelFile, name: str) -> Mapping[str, Any]:
    part = file.information.get(name)
    if not isinstance(part, dict):
        raise InputError(f"the model file says nothing of its {name}: train it again")
    return part


def tags_of(file: ModelFile) -> str:
    """Return the entry of TAGS that the model was trained with."""
    tags = file.information.get("tags", TAGS[0])
    if tags not in TAGS:
        raise InputError(
            f"the model was trained on the tags {tags!r:.40}, but they are one of {', '.join(TAGS)}"
        )
    return str(tags)


def trees_of(file: ModelFile) -> str:
    """Return the model's class of trees, as `treewhile train` chose it for the language."""
    return check_class(file.information.get("trees", PROJECTIVE), [*PREFIX_CLASSES])


def check_system(file: ModelFile) -> None:
    """Refuse a model whose committed parse uses another system than arc-standard."""
    system = file.information.get("system", ARC_STANDARD)
    if system != ARC_STANDARD:
        what = f"the steps of the model are those of {system!r:.40}, but have to be those of {ARC_STANDARD}"
        raise InputError(f"{what}: train it again")


def check_triples(file: ModelFile) -> None:
    """Refuse a model that scores siblings or grandparents, which no parser looks at any more."""
    if known := [kind for kind in TRIPLES if kind in file.information]:
        raise InputError(f"the model scores {known[0]}, which is no longer supported: train it again")


def language_of(information: Mapping[str, Any]) -> str:
    """Return the code of the language, or "" if the information of the file has none."""
    noted = str(information.get("language", ""))
    return noted if LANGUAGE_CODE.fullmatch(noted) else ""


def segmenter_of(file: ModelFile) -> Segmenter | None:
    if SEGMENTER not in file.information:
        return None
    start = f"{SEGMENTER}."
    arrays = {
        name.removeprefix(start): array for name, array in file.arrays.items() if name.startswith(start)
    }
    return Segmenter.from_arrays(arrays, part_of(file, SEGMENTER))


def _units(file: ModelFile, part: str, name: str) -> int:
    units = part_of(file, part).get(name)
    if type(units) is not int or not 0 < units <= WIDEST:
        what = f"its {part} have {units!r:.40} {name.replace('_', ' ')}, but these are a whole number"
        raise InputError(f"{what} from 1 to {WIDEST}: train it again")
    return units


def spans_of(file: ModelFile, shape: Shape) -> SpanLayers | None:
    """Return the layers that score spans, or None if the model has not learnt constituents."""
    if SPANS not in file.information:
        return None
    labels = _chains(part_of(file, SPANS).get("labels"))
    units = SpanShape(*(_units(file, SPANS, name) for name in SpanShape._fields))
    check_arrays(file.arrays, span_shapes(2 * shape.state, units, len(labels)))
    return SpanLayers(file.arrays, labels)


def completeness_of(file: ModelFile, shape: Shape) -> CompletenessLayers | None:
    """Return the layers that predict completeness, or None if the model has not learnt it."""
    if COMPLETENESS not in file.information:
        return None
    check_arrays(file.arrays, completeness_shapes(shape.state, _units(file, COMPLETENESS, "units")))
    return CompletenessLayers(file.arrays)


def lemmas_of(file: ModelFile, inventory: Inventory, shape: Shape) -> LemmaLayers | None:
    """Return the layers that predict lemmas and XPOS, or None if the model has not learnt them."""
    if LEMMAS not in file.information:
        return None
    classes = _lemma_classes(part_of(file, LEMMAS), inventory.tag_numbers)
    units = LemmaShape(*(_units(file, LEMMAS, name) for name in LemmaShape._fields))
    characters = len(inventory.characters) + len(CHARACTER_CLASSES)
    outputs = len(classes.rules) + len(classes.xpos)
    check_arrays(file.arrays, lemma_shapes(shape.state, units, characters, outputs))
    return LemmaLayers(file.arrays, classes, inventory)


def _lemma_classes(part: Mapping[str, Any], tags: Mapping[str, int]) -> LemmaClasses:
    try:
        rules = tuple(RuleClass.from_text(text) for text in part["rules"])
        exceptions = {
            (form, tags[tag]): str(lemma)
            for tag, of_tag in part["exceptions"].items()
            for form, lemma in of_tag.items()
        }
        xpos = tuple(map(str, part["xpos"]))
        known = _known_lemmas(part.get("known", {}), tags)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
        what = "the rules, XPOS, exceptions and known ones of its lemmas are not as treewhile writes them"
        raise InputError(f"{what}: learn them again with treewhile train lemmas") from error
    if not rules:
        raise InputError("its lemmas have no rules: learn them again with treewhile train lemmas")
    return LemmaClasses(rules, xpos, exceptions, known)


def _known_lemmas(by_tag: Mapping[str, str], tags: Mapping[str, int]) -> dict[str, frozenset[int]]:
    """Return the tags of each lemma, of which texts have those of a tag with spaces between them."""
    known: defaultdict[str, set[int]] = defaultdict(set)
    for tag, lemmas in by_tag.items():
        for lemma in lemmas.split():
            known[lemma].add(tags[tag])
    shared: dict[frozenset[int], frozenset[int]] = {}
    of_lemmas = ((lemma, frozenset(numbers)) for lemma, numbers in known.items())
    return {lemma: shared.setdefault(numbers, numbers) for lemma, numbers in of_lemmas}


def _chains(labels: object) -> list[Chain]:
    chains = labels if isinstance(labels, list) else []
    named = [
        tuple(chain)
        for chain in chains
        if isinstance(chain, list) and chain and all(isinstance(label, str) for label in chain)
    ]
    if not named or len(named) < len(chains):
        raise InputError("the labels of its spans have to be lists of texts: train it again")
    return named


def temperature_of(file: ModelFile) -> float:
    """Return the calibrated divisor of scores of arcs over open prefixes."""
    given = file.information.get("temperature", 1.0)
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if not (is_number and COLDEST <= given <= HOTTEST):
        what = f"its temperature is {given!r:.40}, but has to be a number from {COLDEST:g} to {HOTTEST:g}"
        raise InputError(f"{what}: train it again")
    return float(given)


def shape_of(values: Mapping[str, Any]) -> Shape:
    names = [field.name for field in fields(Shape)]
    if {*names} - values.keys() == {"awaiting"}:
        again = "treewhile train steps --model P --train A --dev B --out M, where P is this model"
        raise InputError(f"the model is of before steps knew what waiting is worth: learn them with {again}")
    is_whole = all(type(values.get(name)) is int and 0 < values[name] <= WIDEST for name in names)
    if sorted(values) != sorted(names) or not is_whole:
        what = f"the shape of the network has to give a whole number from 1 to {WIDEST} for each of"
        raise InputError(f"{what} {', '.join(names)}")
    return Shape(**values)


def check_arrays(arrays: Mapping[str, npt.NDArray[Any]], shapes: Mapping[str, tuple[int, ...]]) -> None:
    for name, shape in shapes.items():
        array = arrays.get(name)
        if array is None or array.shape != shape or array.dtype != np.float32:
            found = "missing" if array is None else f"of shape {array.shape} and kind {array.dtype}"
            raise InputError(f"the array {name} is {found}, but has to be of shape {shape} and kind float32")
        if not np.abs(array).max(initial=0) <= LARGEST_WEIGHT:
            raise InputError(
                f"the array {name} has numbers in it beyond {LARGEST_WEIGHT:g}, or that are none"
            )
