"""Draws grammars as text, situations and analyses that try every term, with ties, cycles and gaps."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.language.grammars import Grammar, parse_grammar
from treewhile.incremental.constraints.machine.programs import Program
from treewhile.incremental.constraints.machine.situations import Prediction, Situation

LABELS = ("root", "nsubj", "nsubj:pass", "det", "obj", "conj", "punct")
TAGS = ("NOUN", "VERB", "DET", "PUNCT")
FORMS = ("the", "The", "dog", "DOGS", "don't", "3.5", "x-ray", "Straße", "犬", "…")
AFFIXES = ("T", "the", "s", "gs", "ss", "3.", "…")
FEATURES = (
    "_",
    "Number=Sing",
    "Number=Plur|Person=3",
    "Person=3",
    "Case=Acc,Dat",
    "Case=Dat|Number=Plur,Sing",
)
PATTERNS = ("[a-z]+", "(the|dogs)?", ".*(o|3).{1,3}", "D?.*s", r"\\d\\.\\d")
EXTENTS = ("below", "above", "beside", "left of", "right of", "between")
TABLE = 'word,frame,other\nthe,a,\ndog,"a,Sing",x\nx-ray,b,y'
PREDICTORS = ("committed", "other")
RELATIONS = ("under one head", "in a chain", "crossing", "of any kind")

NAME_ATTRIBUTES = {
    "form": (*FORMS[:3], "unheard"),
    "lower": ("the", "dog", "strasse"),
    "tag": TAGS,
    "shape": ("x", "Xx", "d.d", "x-x"),
    "Number": ("Sing", "Plur"),
    "Person": ("3",),
}


class FormulaSource:
    """Formulas over X, or over X and Y; `is_contextual` allows what looks at the whole analysis."""

    def __init__(self, rng: Random, edges: str, is_contextual: bool) -> None:
        self.rng = rng
        self.edges = edges
        self.is_contextual = is_contextual
        self.variables: list[str] = []

    def edge(self) -> str:
        return self.rng.choice(self.edges)

    def choice(self, *makers: str) -> str:
        return self.rng.choice(makers)

    def node(self, depth: int) -> str:
        plain = [self.edge(), f"{self.edge()}.dependent", f"{self.edge()}.head", f"{self.edge()}.head"]
        plain.append(f"predicted_head({self.rng.choice(PREDICTORS)}, {self.edge()})")
        plain += self.variables * 3
        if depth > 0:
            plain.append(f"{self.node(depth - 1)}.{self.choice('next', 'previous')}")
            plain.append(f"predicted_head({self.rng.choice(PREDICTORS)}, {self.node(depth - 1)})")
            if self.is_contextual:
                plain += [f"{self.node(depth - 1)}.head"] * 3
        return self.rng.choice(plain)

    def words(self, names: tuple[str, ...]) -> str:
        chosen = self.rng.sample(names, self.rng.randrange(1, len(names) + 1))
        return "{" + ", ".join(f'"{name}"' for name in chosen) + "}"

    def label_set(self) -> str:
        return self.rng.choice(["SOME", self.words(("nsubj", *LABELS))])

    def name_of_label(self, depth: int) -> str:
        terms = [f"{self.edge()}.label", f"{self.edge()}.relation"]
        terms.append(
            f"predicted_{self.choice('label', 'relation')}({self.rng.choice(PREDICTORS)}, {self.node(depth)})"
        )
        if self.is_contextual:
            terms.append(f"{self.node(depth)}.{self.choice('label', 'relation')}")
        return self.rng.choice(terms)

    def comparison(self, depth: int) -> str:
        sign = self.choice("=", "=", "!=")
        match self.rng.randrange(8):
            case 0:
                attribute = self.rng.choice([*NAME_ATTRIBUTES])
                values = NAME_ATTRIBUTES[attribute]
                if self.rng.random() < 0.3:
                    return f"{self.node(depth)}.{attribute} in {self.words(values)}"
                return f'{self.node(depth)}.{attribute} {sign} "{self.rng.choice(values)}"'
            case 1:
                attribute = self.rng.choice([*NAME_ATTRIBUTES, "Case"])
                a, b = f"{self.node(depth)}.{attribute}", f"{self.node(depth)}.{attribute}"
                return self.choice(f"{a} {sign} {b}", f"agree({a}, {b})")
            case 2:
                if self.rng.random() < 0.4:
                    return f"{self.name_of_label(depth)} in {self.label_set()}"
                other = self.choice(self.name_of_label(depth), f'"{self.rng.choice(LABELS)}"')
                return f"{self.name_of_label(depth)} {sign} {other}"
            case 3:
                return f"{self.node(depth)} {sign} {self.node(depth)}"
            case 4:
                of = self.node(depth) if self.is_contextual else self.edge()
                return f"{of}.direction {sign} {self.choice('left', 'right')}"
            case 5:
                cell = f"TABLE({self.node(depth)}).frame"
                value = self.choice(f"{self.node(depth)}.Number", f"TABLE({self.node(depth)}).other")
                return self.choice(f"{cell} = a", f"{cell} has {{Sing, b}}", f"agree({cell}, {value})")
            case 6:
                pattern = f'{self.choice("form", "lower")} matches "{self.rng.choice(PATTERNS)}"'
                feature = self.choice("Case has Dat", "Number has {Sing, Plur}")
                return f"{self.node(depth)}.{self.choice(pattern, feature)}"
        signs = self.choice("=", "!=", "<", "<=", ">", ">=")
        return f"{self.number(depth)} {signs} {self.number(depth)}"

    def number(self, depth: int) -> str:
        terms = [str(self.rng.randrange(4)), f"{self.edge()}.distance", f"{self.node(depth)}.position", "0.5"]
        terms += [
            f"{score}({self.edge()})"
            for score in ("head_probability", "label_probability", "future_probability")
        ]
        if self.is_contextual:
            terms.append(f"count({self.node(depth)}, {self.label_set()})")
            terms.append(f"{self.node(depth)}.distance")
        if depth > 0:
            a, b = self.number(depth - 1), self.number(depth - 1)
            terms += [f"({a} {self.choice('+', '-', '*')} {b})", f"({a} / ({b} * {self.edge()}.distance))"]
            terms += [f"min({a}, {b})", f"max({a}, {b})", f"abs({a})", f"(-{a})"]
        return self.rng.choice(terms)

    def test(self, depth: int) -> str:
        kind = self.choice("is_word", "is_virtual", "is_later", "is_root", "is_unused")
        terms = [f"{kind}({self.node(depth)})", f"prediction_exists({self.rng.choice(PREDICTORS)}, X)"]
        terms.append(f"exists({self.node(depth)}.{self.rng.choice([*NAME_ATTRIBUTES])})")
        terms.append(f"exists({self.choice(self.node(depth), self.number(depth))})")
        terms.append(f"between({self.edge()}, {self.words(TAGS)})")
        terms.append(f"{self.choice('starts', 'ends')}({self.node(depth)}, {self.words(AFFIXES)})")
        if self.is_contextual:
            name = self.choice("has", "under")
            terms += [f"{name}({self.node(depth)}, {self.label_set()})"] * 2 + [f"{name}({self.node(depth)})"]
            terms += [f"dominates({self.node(depth)}, {self.node(depth)})", f"covers_outsider({self.edge()})"]
        return self.rng.choice(terms)

    def quantified(self, depth: int) -> str:
        """A formula on nodes of an extent."""
        name = ("Z", "W")[len(self.variables)]
        near = [f"{extent} {self.node(1)}" for extent in EXTENTS[:3]]
        far = [f"{extent} {self.node(1)}" for extent in EXTENTS[3:]] + ["anywhere"][: "Y" not in self.edges]
        extent = self.rng.choice(near if self.variables else near + far)  # what is dear is refused
        self.variables.append(name)
        inner = self.formula(0 if self.variables[1:] else depth)
        self.variables.pop()
        quantity = self.choice("some", "all", "no", "number of")
        counted = f" {self.choice('=', '<', '>')} {self.rng.randrange(3)}" if quantity == "number of" else ""
        return f"({quantity} {name} {extent}: ({inner}){counted})"

    def formula(self, depth: int) -> str:
        kind = self.rng.random()
        if self.is_contextual and kind > 0.8 and len(self.variables) < 3 - len(self.edges):
            return self.quantified(min(depth, 1))
        if depth == 0 or kind < 0.2:
            return self.comparison(1) if self.rng.random() < 0.7 else self.test(1)
        a, b = self.formula(depth - 1), self.formula(depth - 1)
        if kind < 0.3:
            return f"not ({a})"
        if kind < 0.35:
            return f"({a}) or true" if kind < 0.32 else f"false or ({b})"
        return f"({a}) {self.choice('and', 'or', '->', '<->')} ({b})"

    def penalty(self) -> str:
        if self.rng.random() < 0.7:
            return self.choice("0", "0.5", "0.9", "1", "1e-15")
        return self.choice(
            "probability(X)",
            "1 - probability(X) / 2",
            f"X.distance / 4 + 0 * {self.number(2)}",
            f"0.9 * {self.number(2)} + X.distance",
        )


def random_grammar(rng: Random, size: int) -> str:
    lines = ["set SOME = {nsubj, det}", 'table TABLE "words.csv"']
    for number in range(size):
        relation = rng.choice(["", "", *RELATIONS])
        source = FormulaSource(rng, "XY" if relation else "X", rng.random() < 0.4)
        edges = f"X and Y {relation}" if relation else "X"
        lines.append("section plain" if rng.random() < 0.8 else "section weighed weight 0.5")
        formula = source.formula(rng.randrange(4))
        if rng.random() < 0.1:
            lines.append(f'constraint "{number}", {edges}:\n    {formula}\n    says "number {number}"')
        else:
            lines.append(f'constraint "{number}" penalty {source.penalty()}, {edges}:\n    {formula}')
    return "\n".join(lines)


def parsed(text: str, name: str) -> Grammar:
    """The grammar of such a text, with its table."""
    with TemporaryDirectory() as folder:
        Path(folder, "words.csv").write_text(TABLE)
        return parse_grammar(text, name, folder=Path(folder))


def random_situation(rng: Random, program: Program, t: int, k: int) -> Situation:
    logs = np.random.default_rng(rng.randrange(1 << 30))
    nodes = t + k + 3
    is_scored = rng.random() < 0.8
    shapes = (nodes, t + k + 1), (t + k + 1, nodes, len(LABELS))
    head_log, label_log = (-logs.exponential(1, shape).astype(np.float32) for shape in shapes)
    head_log[rng.randrange(nodes), rng.randrange(t + k + 1)] = -np.inf
    predictors = [name for name in PREDICTORS if rng.random() < 0.8]
    return Situation.of(
        program,
        rng.choices(FORMS, k=t),
        rng.choices(TAGS, k=t),
        rng.choices(FEATURES, k=t),
        rng.choices(TAGS, k=k),
        {name: random_predictions(rng, t, k) for name in predictors},
        head_log if is_scored else None,
        label_log if is_scored and rng.random() < 0.7 else None,
    )


def random_predictions(rng: Random, t: int, k: int) -> list[Prediction | None]:
    def draw(node: int) -> Prediction | None:
        head = rng.randrange(t + k + 3)
        if head == node or rng.random() < 0.3:
            return None
        return Prediction(head, rng.choice([None, *LABELS]))

    return [draw(node) for node in range(1, t + rng.choice([0, k]) + 1)]


def random_analysis(rng: Random, situation: Situation) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Any heads: trees and such with cycles; few of the nodes carry most others."""
    ends = [0, situation.later, situation.unused]
    few = [rng.randrange(situation.later) for _ in range(2)]
    heads = [0]
    for node in range(1, situation.later):
        choices = [head for head in [*ends, *few, *range(situation.later)] if head != node]
        heads.append(rng.choice(choices))
    labels = [rng.randrange(len(LABELS)) for _ in heads]
    return np.array(heads, np.int64), np.array(labels, np.int64)
