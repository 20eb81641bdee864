"""Names that a grammar may ask for: those of Universal Dependencies, and those of a model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


TAGS: Final = _names("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X")
RELATIONS: Final = _names(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse "
    "dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis "
    "punct reparandum root vocative xcomp"
)
SUBTYPES: Final = {  # documented ones, by relation
    "acl": "adv attr cleft focus inf relat relcl",
    "advcl": "abs adv cau cleft cmp cond eval lcl objective periph pred relcl sp svc tcl",
    "advmod": "adj arg cc comp det dir emph eval foc freq lmod loc locy mmod mode neg obl que tfrom time "
    "tlocy tmod to tto",
    "amod": "adj att attlvc advmod mode obl",
    "appos": "nmod trans",
    "aux": "aff aspect caus cnd clitic comp exhort imp mood neg nec opt part pass pot q tense",
    "case": "acc adv aff dat det gen loc voc",
    "cc": "nc preconj",
    "ccomp": "agent cleft comp obj obl pmod pred relcl report speech",
    "compound": "a affix coll conjv dir ext lv lvc n name nn nv prt preverb quant redup smixut svc v "
    "verbnoun vo vv",
    "conj": "appos coord expl extend pred redup svc",
    "cop": "expl locat own",
    "csubj": "asubj cleft cop obj outer pass vsubj",
    "dep": "aff agr alt ana aux comp conj cop der emo infl iobj mark mod nsubj obj pos redup repair ss",
    "det": "adj noun numgov nummod pmod poss predet pron rel",
    "discourse": "conn emo filler intj sp",
    "dislocated": "acl csubj cleft nsubj obj obl subj vo",
    "expl": "comp impers pass poss pv subj",
    "fixed": "name",
    "flat": "abs date dist foreign frac gov name num number range redup repeat sibl time title vv",
    "iobj": "agent appl patient",
    "mark": "adv advmod aff pcomp plur prt q rel",
    "nmod": "abl agent appos arg att attlvc attr bahuv cau comp desc det flat gen gobj gmod gsubj lfrom lmod "
    "npmod obj obl part pass poss pred prep prp range relat subj tmod unmarked",
    "nsubj": "advmod aff appos bfoc caus cleft cop expl ifoc lfoc lvc nc nn obj outer own pass periph pred "
    "quant xsubj",
    "nummod": "appos conj det emph entity flat gov obl quant unit",
    "obj": "advmod advneg agent appl cau caus lvc obl periph x",
    "obl": "ablat ad adj adv advmod agent appl arg ben cau cmp cmpr comp dat freq goal inst iobj lfrom lmod "
    "loc lto lvc mcl mod npmod obj orphan own path patient pmod poss pred prep sentcon smod soc subj "
    "tmod unmarked",
    "parataxis": "appos conj coord deletion discourse dislocated hashtag insert mod nsubj newsent obj paren "
    "parenth q rel rep restart rt sentence speech trans url web",
    "punct": "typo",
    "vocative": "cl mention",
    "xcomp": "adj ds obj pred sp subj vcomp verb",
}
FEATURES: Final = {
    "Abbr": "Yes",
    "AdpType": "Circ Comprep Post Prep Preppron Voc",
    "AdvType": "Adadj Cau Deg Ex Loc Man Mod Sta Tim",
    "Animacy": "Anim Hum Inan Nhum",
    "Aspect": "Hab Imp Iter Perf Prog Prosp",
    "Case": "Abe Abl Abs Acc Add Ade All Ben Cau Cmp Cns Com Dat Del Dis Ela Equ Erg Ess Gen Ill Ine Ins Lat "
    "Loc Nom Par Per Sbe Sbl Spl Sub Sup Tem Ter Tra Voc",
    "Clusivity": "Ex In",
    "ConjType": "Cmpr Comp Oper",
    "Definite": "Com Cons Def Ind Spec",
    "Degree": "Abs Aug Cmp Dim Equ Pos Sup",
    "Deixis": "Abv Bel Even Med Nvis Prox Remt",
    "DeixisRef": "1 2",
    "Echo": "Ech Rdp",
    "Emph": "Yes",
    "Evident": "Fh Nfh",
    "ExtPos": "ADJ ADP ADV AUX CCONJ DET INTJ NOUN PART PRON PROPN SCONJ VERB",
    "Foreign": "Yes",
    "Gender": "Com Fem Masc Neut",
    "Hyph": "Yes",
    "Mood": "Adm Cnd Des Imp Ind Int Irr Jus Nec Opt Pot Prp Qot Sub",
    "NameType": "Com Geo Giv Nat Oth Pat Pro Prs Sur Zoo",
    "NounClass": " ".join(
        f"{family}{number}" for family, last in (("Bantu", 23), ("Wol", 12)) for number in range(1, 1 + last)
    ),
    "NounType": "Class Clf Relat",
    "NumForm": "Cardinal Combi Digit Roman Word",
    "NumType": "Card Dist Frac Mult Ord Range Sets",
    "Number": "Coll Count Dual Grpa Grpl Inv Pauc Plur Ptan Sing Tri",
    "PartType": "Emp Gen Inf Int Mod Neg Res Vbp",
    "Person": "0 1 2 3 4",
    "Polarity": "Neg Pos",
    "Polite": "Elev Form Humb Infm",
    "Poss": "Yes",
    "PrepCase": "Npr Pre",
    "PronType": "Art Dem Emp Exc Ind Int Neg Prs Rcp Rel Tot",
    "PunctSide": "Fin Ini",
    "PunctType": "Brck Colo Comm Dash Elip Excl Peri Qest Quot Semi Symb",
    "Reflex": "Yes",
    "Strength": "Strong Weak",
    "Style": "Arch Coll Expr Form Poet Rare Slng Vrnc Vulg",
    "Subcat": "Ditr Indir Intr Prep Tran",
    "Tense": "Fut Imp Past Pqp Pres",
    "Typo": "Yes",
    "Variant": "Long Short",
    "VerbForm": "Conv Fin Gdv Ger Inf Part Sup Vnoun",
    "VerbType": "Aux Cop Light Mod Pas Quasi",
    "Voice": "Act Antip Bfoc Cau Dir Inv Lfoc Mid Pass Rcp",
}

UNIVERSAL_LABELS: Final = RELATIONS | {
    f"{relation}:{subtype}" for relation, subtypes in SUBTYPES.items() for subtype in subtypes.split()
}


@dataclass(frozen=True)
class KnownNames:
    """Names of a model, each with those of Universal Dependencies; without arguments, these alone.

    `features` are values by name, alternatives included ("Acc,Nom"). Predictors are unknown if they are None,
    and so are `learnt` attributes, those of `terms.LEARNT`, and `xpos`, of which UD has none.
    """

    labels: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    features: Mapping[str, frozenset[str]] = field(default_factory=dict)
    predictors: frozenset[str] | None = None
    learnt: frozenset[str] | None = None
    xpos: frozenset[str] | None = None

    @classmethod
    def of(
        cls,
        labels: Iterable[str],
        tags: Iterable[str],
        features: Iterable[str],
        predictors: Iterable[str] | None = None,
        learnt: Iterable[str] | None = None,
        xpos: Iterable[str] | None = None,
    ) -> KnownNames:
        """Return the names of a model, whose features are columns FEATS: "Number=Sing|Person=3"."""
        values = dict[str, set[str]]()
        for pair in {pair for column in features for pair in column.split("|")}:
            name, equals, value = pair.partition("=")
            if equals:
                values.setdefault(name, set()).update((value, *value.split(",")))
        return cls(
            frozenset(labels),
            frozenset(tags),
            {name: frozenset(found) for name, found in values.items()},
            None if predictors is None else frozenset(predictors),
            None if learnt is None else frozenset(learnt),
            frozenset(xpos) if xpos else None,
        )

    @cached_property
    def all_labels(self) -> frozenset[str]:
        return self.labels | UNIVERSAL_LABELS

    @cached_property
    def all_relations(self) -> frozenset[str]:
        return RELATIONS | {label.partition(":")[0] for label in self.labels}

    @cached_property
    def all_tags(self) -> frozenset[str]:
        return self.tags | TAGS

    @cached_property
    def all_features(self) -> frozenset[str]:
        return frozenset((*self.features, *FEATURES))

    def knows_feature(self, name: str) -> bool:
        return name in self.all_features or name.partition("[")[0] in FEATURES

    def values_of(self, feature: str) -> Collection[str]:
        """Return the known values of a feature; those of `Number` count for `Number[psor]`, too."""
        return self.features.get(feature, frozenset()) | {
            *FEATURES.get(feature.partition("[")[0], "").split()
        }
