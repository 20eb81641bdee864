import assert from "node:assert/strict";
import test from "node:test";
import { applyDelta } from "../../web/source/client/index.ts";
import {
  allPhrases,
  bracketsOf,
  layOutPhrases,
  phrasesOf,
  type TreeAnalysis,
  type TreeConstituent,
} from "../../web/source/tree/index.ts";
import { analysisOf, deltaOf } from "./fake_server.ts";

const CONSTITUENTS: TreeConstituent[] = [
  ["S", 1, null],
  ["NP", 1, 2],
  ["VP", 3, null],
  ["VP", 3, 3],
];

function sentence(constituents: TreeConstituent[] | null, length = 4): TreeAnalysis {
  const words = Array.from({ length }, (_, place) => ({ form: `w${place + 1}`, tag: "X", head: 0, label: "dep" }));
  return { words, constituents };
}

function laidOut(shape: "brackets" | "tree", width = 10_000, direction: "ltr" | "rtl" = "ltr") {
  const analysis = sentence(CONSTITUENTS);
  return layOutPhrases({ shape, phrases: phrasesOf(analysis), widths: [60, 60, 60, 60], width, direction });
}

test("phrases hold what lies in them, and words that no inner one has", () => {
  const [root, ...others] = phrasesOf(sentence(CONSTITUENTS));
  assert.deepEqual(others, []);
  assert(typeof root === "object");
  assert.deepEqual([root.height, root.last, root.isOpen], [3, 3, true]);
  const [subject, predicate] = root.children;
  assert(typeof subject === "object" && typeof predicate === "object");
  assert.deepEqual(subject.children, [0, 1]);
  assert.deepEqual(predicate.children.slice(1), [3]);
});

test("a sentence of which nothing is known has no phrases", () => {
  assert.deepEqual(phrasesOf(sentence(null)), [0, 1, 2, 3]);
  assert.equal(bracketsOf(sentence(null, 2)), "(ROOT (X w1) (X w2))\n");
});

test("brackets are written as treebanks have them", () => {
  const told = bracketsOf(sentence(CONSTITUENTS));
  assert.equal(told, "(ROOT (S (NP (X w1) (X w2)) (VP (VP (X w3)) (X w4))))\n");
  assert.equal(bracketsOf({ words: [{ form: "( b", head: 0, label: null }] }), "(ROOT (_ -LRB-_b))\n");
});

test("an open bracket has no foot at its end", () => {
  const { lines, labels } = laidOut("brackets");
  const feet = lines.map(({ path }) => path.match(/V/g)!.length);
  assert.deepEqual(feet, [1, 2, 1, 2]);
  assert.deepEqual(
    labels.map(({ text }) => text),
    ["S…", "NP", "VP…", "VP"],
  );
});

test("brackets break with the rows of words, and have one label each", () => {
  const { lines, labels, width } = laidOut("brackets", 160);
  assert.equal(lines.length, 5);
  assert.equal(labels.length, 4);
  assert(width <= 160);
});

test("a tree that is open has a line to what is still to come", () => {
  const { later, lines, width } = laidOut("tree");
  assert(later && later.x > 240 && later.x < width);
  assert.equal(lines.filter(({ path }) => path.includes(` L ${later.x} `)).length, 1);
});

test("no two labels of a tree meet", () => {
  const { labels } = laidOut("tree");
  for (const one of labels)
    for (const other of labels)
      if (one !== other) assert(Math.abs(one.x - other.x) > 20 || Math.abs(one.y - other.y) > 20);
});

test("what is read from right to left is drawn so", () => {
  for (const shape of ["brackets", "tree"] as const) {
    const { words } = laidOut(shape, 300, "rtl");
    assert(words[0]!.x > words[3]!.x);
  }
});

test("only what ended within the stable words is stable", () => {
  const phrases = allPhrases(phrasesOf({ ...sentence(CONSTITUENTS), stable_upto: 2 }));
  assert.deepEqual(
    phrases.map(({ isStable }) => isStable),
    [false, true, false, false],
  );
});

test("a delta changes one stretch of the constituents, or leaves them as they are", () => {
  const base = analysisOf("The dog barks", 1, { constituents: CONSTITUENTS });
  const same = applyDelta(base, deltaOf(base, "The dog barks at", 2));
  assert.deepEqual(same.constituents, CONSTITUENTS);
  const added: TreeConstituent[] = [["PP", 4, null]];
  const changes = { first: 3, removed: 1, added };
  const changed = applyDelta(base, { ...deltaOf(base, "The dog barks at", 2), constituents: changes });
  assert.deepEqual(changed.constituents, [...CONSTITUENTS.slice(0, 3), ...added]);
  const none = applyDelta(base, { ...deltaOf(base, "The dog barks at", 2), constituents: null });
  assert.equal(none.constituents, undefined);
  const first = applyDelta(none, {
    ...deltaOf(none, "The dog barks at", 3),
    constituents: { first: 0, removed: 0, added },
  });
  assert.deepEqual(first.constituents, added);
});
