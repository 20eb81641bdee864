"""Names in constraints that can never hold, and divisions by what may be zero.

A name may hold if the model or Universal Dependencies has it: grammars may serve many languages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from treewhile.incremental.constraints.language.checking import suggestion
from treewhile.incremental.constraints.language.known_names import KnownNames
from treewhile.incremental.constraints.language.terms import Asked, Constraint, NameUse
from treewhile.incremental.constraints.language.written import GrammarError, Place, first_of, problem


def name_mistakes(constraints: Iterable[Constraint], known: KnownNames) -> Iterator[GrammarError]:
    """Yield a mistake for each name in a constraint that can never hold."""
    return (error for use in _uses(constraints) for error in _name_mistakes(use, known))


def lacking_names(constraints: Iterable[Constraint], known: KnownNames) -> Iterator[GrammarError]:
    """Yield a remark for each feature, value or tag of Universal Dependencies that a model gives no word.

    It is at the first place. Of names that stand together, as in a set, it is told if the model gives none.
    """
    found = dict[str, Place]()
    for use in _uses(constraints):
        if _is_lacking(use, known):
            (name, place), *_ = use.places.items()
            told = f"{use.of}={name}" if use.kind == Asked.VALUE else f"the {use.kind} {name}"
            found.setdefault(told, place)
    return (problem(f"the model gives no word {told:.60}", place) for told, place in found.items())


def _is_lacking(use: NameUse, known: KnownNames) -> bool:
    match use.kind:
        case Asked.FEATURE:
            return not {*use.places} & {*known.features}
        case Asked.VALUE if use.of in known.features:
            return not {*use.places} & known.features[use.of]
        case Asked.TAG:
            return not {*use.places} & known.tags
    return False


def relation_mistakes(constraints: Iterable[Constraint]) -> Iterator[GrammarError]:
    """Yield a mistake for each relation that is a label with a subtype."""
    return (
        problem(
            f"a relation has no subtype: compare the label with {name:.60}, or write {relation:.60}", place
        )
        for use in _uses(constraints)
        if use.kind == Asked.RELATION
        for name, place in use.places.items()
        for relation, colon, _ in [name.partition(":")]
        if colon
    )


def idle_mistakes(constraints: Iterable[Constraint]) -> Iterator[GrammarError]:
    """Yield a mistake for each comparison that can never hold under any model."""
    told = dict.fromkeys(one for constraint in constraints for one in constraint.idle)
    return (problem(what, place) for what, place in told)


def division_mistakes(constraints: Iterable[Constraint]) -> Iterator[GrammarError]:
    """Yield a mistake for each division by what may be zero."""
    what = "the constraint holds where this divides by 0: use max(1, ...) as divisor"
    places = dict.fromkeys(place for constraint in constraints for place in constraint.divisions)
    return (problem(what, place) for place in places)


def check_names(constraints: Iterable[Constraint], known: KnownNames) -> None:
    """Refuse constraints with a name that can never hold."""
    constraints = [*constraints]
    mistakes = idle_mistakes(constraints), relation_mistakes(constraints), name_mistakes(constraints, known)
    found = [error for kind in mistakes for error in islice(kind, 1)]
    if found:
        raise first_of(found)


def _uses(constraints: Iterable[Constraint]) -> Iterator[NameUse]:
    """Yield the uses of names, each once: a definition is written out wherever it stands."""
    by_place = {
        (use.kind, use.of, next(iter(use.places.values()))): use
        for constraint in constraints
        for use in constraint.uses
        if use.places
    }
    yield from by_place.values()


def _name_mistakes(use: NameUse, known: KnownNames) -> Iterator[GrammarError]:
    names = _names_for(use, known)
    for name, place in use.places.items() if names is not None else ():
        if names is not None and not _is_known(use, name, names, known):
            yield _unknown(use, name, names, place)


def _names_for(use: NameUse, known: KnownNames) -> Collection[str] | None:
    """Return the names that may hold; None if that is not known."""
    match use.kind:
        case Asked.LABEL:
            return known.all_labels
        case Asked.RELATION:
            return known.all_relations
        case Asked.LABEL_OR_RELATION:
            return known.all_labels | known.all_relations
        case Asked.TAG:
            return known.all_tags
        case Asked.XPOS:
            return known.xpos
        case Asked.FEATURE:
            return known.all_features
        case Asked.VALUE:
            return known.values_of(use.of) if known.knows_feature(use.of) else None
        case Asked.LEARNT:
            return known.learnt
    return known.predictors


def _is_known(use: NameUse, name: str, names: Collection[str], known: KnownNames) -> bool:
    if use.kind == Asked.FEATURE:
        return known.knows_feature(name)
    if use.kind == Asked.VALUE:
        return {*name.split(",")} <= {*names}
    return name in names or (use.kind == Asked.RELATION and ":" in name)  # told by `relation_mistakes`


def _unknown(use: NameUse, name: str, names: Collection[str], place: Place) -> GrammarError:
    if use.kind == Asked.PREDICTOR:
        what = f"nobody gives the predictor {name:.60}{suggestion(name, names)}"
        return problem(what, place)
    if use.kind == Asked.LEARNT:
        what = f"the model has not learnt what the {name:.60} of a word is"
        return problem(f"{what}: leave it out, or take a model that has", place)
    if use.kind == Asked.XPOS:
        return problem(f"the model gives no word the XPOS {name:.60}{suggestion(name, names)}", place)
    of = f" of {use.of:.60}" if use.kind == Asked.VALUE else ""
    what = f"neither the model nor Universal Dependencies has a {use.kind}{of} called {name:.60}"
    return problem(f"{what}{suggestion(name, names)}", place)
