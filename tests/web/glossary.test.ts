import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { Glossary, type Texts } from "../../web/source/glossary/glossary.ts";
import { explanationOf, toldOf } from "../../web/source/page/explanation_card.ts";
import { litBy } from "../../web/source/tree/pointing.ts";
import { graphOf } from "../../web/source/tree/index.ts";
import { lineWidthOf, weightOf } from "../../web/source/tree/sureness.ts";

const file = new URL("../../web/source/glossary/en.json", import.meta.url);
const glossary = new Glossary(JSON.parse(await readFile(file, "utf8")) as Texts);

test("a subtype that nobody has described is explained as what it is a kind of", () => {
  assert.equal(glossary.relation("nmod:poss")![0], "possessor");
  assert.deepEqual(glossary.relation("nsubj:strange"), glossary.relation("nsubj"));
  assert.equal(glossary.relation("strange"), null);
  assert.deepEqual(glossary.phrase("NP-SBJ"), glossary.phrase("NP"));
});

test("several values of a feature are explained one by one, and those of a possessor as such", () => {
  const explained = glossary.features("Case=Acc,Nom|Number[psor]=Plur|Abbr=yes|Made=Up");
  assert.deepEqual(
    explained.map(({ sign, entry }) => [sign, entry?.[0]]),
    [
      ["Case=Acc", "accusative"],
      ["Case=Nom", "nominative"],
      ["Number[psor]=Plur", "plural of the possessor"],
      ["Abbr=yes", "abbreviation"],
      ["Made=Up", undefined],
    ],
  );
  assert.deepEqual(glossary.features("_"), []);
});

const words = [
  { form: "Old", tag: "ADJ", features: "Degree=Pos", head: 2, label: "amod" },
  { form: "dogs", tag: "NOUN", head: 3, label: "nsubj", lemma: "dog", xpos: "NNS", confidence: 0.876 },
  { form: "sleep", tag: "VERB", head: 0, label: "root" },
  { form: "deeply", tag: "ADV", head: 3, label: "advmod" },
] as const;

test("a word is explained with its lemma, its head and how sure it is, an arc with both its ends", () => {
  const word = explanationOf({ kind: "word", number: 2 }, { words }, glossary)!;
  assert.deepEqual([word.title, word.facts], ["dogs", ["lemma dog", "XPOS NNS", "depends on sleep", "sure to 88%"]]);
  assert.deepEqual(
    word.entries.map(({ sign }) => sign),
    ["NOUN", "nsubj"],
  );
  const arc = explanationOf({ kind: "arc", number: 2 }, { words }, glossary)!;
  assert.deepEqual([arc.title, arc.facts], ["dogs → sleep", ["sure to 88%"]]);
  assert.equal(explanationOf({ kind: "word", number: 9 }, { words }, glossary), null);
  assert.ok(toldOf(arc).startsWith("sure to 88%. nsubj: subject. Is the one who"));
});

test("with a word its subtree is lit, the arc into it, and its head", () => {
  const lit = litBy({ kind: "word", id: "2" }, graphOf({ words }));
  const told = { "word 1": "below", "arc 1": "below", "word 2": "own", "arc 2": "own", "word 3": "head" };
  assert.deepEqual(Object.fromEntries(lit), told);
});

test("a circle is lit as a whole", () => {
  const circle = [2, 1].map((head) => ({ form: "round", head, label: "dep" }));
  assert.equal(litBy({ kind: "arc", id: "1" }, graphOf({ words: circle })).size, 4);
});

test("the surer an arc, the wider its line, where that is shown and known", () => {
  const widths = [0, 0.5, 0.75, 0.9, 0.97, 1].map((confidence) => lineWidthOf({ confidence }));
  assert.deepEqual(widths, [0.75, 1.25, 2, 3, 4, 4]);
  assert.equal(weightOf({ confidence: null }), "");
  const shown = graphOf({ words }, false, true).arcs.map(({ confidence }) => confidence);
  assert.deepEqual(shown, [null, 0.876, null, null]);
  assert.ok(graphOf({ words }).arcs.every(({ confidence }) => confidence === null));
});
