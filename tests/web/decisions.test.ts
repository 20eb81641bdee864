import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlacedSentence, WordView } from "../../web/source/client/index.ts";
import { contradiction, rivalOfRoot } from "../../web/source/page/contradictions.ts";
import {
  decisionsIn,
  fixBetween,
  heldBy,
  keptDecisions,
  mapDecisions,
  restoredDecisions,
  withChanges,
  type Decisions,
} from "../../web/source/page/decisions.ts";
import { labelsFor, tagsFor } from "../../web/source/page/likely_labels.ts";
import { keysOfWords, letterOf } from "../../web/source/page/word_keys.ts";

type Placed = Pick<PlacedSentence, "from" | "to" | "words">;

/** Words between spaces, in a text that begins somewhere. */
function sentenceOf(text: string, from = 0): Placed {
  const words = [...text.matchAll(/\S+/g)].map(({ 0: form, index }, place) => {
    return { id: place + 1, number: place + 1, from: index, to: index + form.length };
  });
  return { from, to: from + text.length, words };
}

function change(from: number, to: number, text: string) {
  return { from, to, text, inserted: text.length };
}

const DOG = sentenceOf("the old dog barks");

test("decisions add up by their words, and null frees", () => {
  const first = withChanges([], DOG, new Map([[2, { head: 4, label: "amod" }]]));
  const more = withChanges(first, DOG, new Map([[2, { tag: "ADJ" }]]));
  assert.deepEqual(decisionsIn(more, DOG), new Map([[2, { head: 4, label: "amod", tag: "ADJ" }]]));
  const freed = withChanges(more, DOG, new Map([[2, { head: null, label: null, tag: null }]]));
  assert.deepEqual(freed, []);
});

test("an edit of a word ends its decision, that of its head the one about the head, and others move it", () => {
  const decided = withChanges([], DOG, new Map([[2, { head: 4, label: "amod" }]]));
  const moved = mapDecisions(decided, change(0, 3, "this"));
  assert.deepEqual(decisionsIn(moved, sentenceOf("this old dog barks")).get(2)?.head, 4);
  assert.deepEqual(mapDecisions(decided, change(5, 5, "x")), []);
  const [left] = mapDecisions(decided, change(13, 13, "x"));
  assert.deepEqual([left?.head, left?.label], [null, "amod"]);
  assert.equal(mapDecisions(decided, change(17, 17, "!")), decided, "what is behind all changes nothing");
});

test("what is kept comes back, and what is not in the text does not", () => {
  const changes = new Map([
    [1, { head: 0 }],
    [2, { head: 3, label: "amod", tag: "ADJ" }],
    [3, { label: "obj" }],
  ]);
  const decided = withChanges([], DOG, changes);
  const kept = JSON.parse(JSON.stringify(keptDecisions(decided)));
  assert.deepEqual(restoredDecisions(kept, 17), decided);
  assert.equal(restoredDecisions(kept, 9).length, 1);
  assert.deepEqual(restoredDecisions(undefined, 17), []);
});

test("words that share a span are told apart", () => {
  const words = [0, 0, 7].map((from, index) => ({ id: index, number: index + 1, from, to: index < 2 ? 6 : 9 }));
  const cannot = { from: 3, to: 12, words };
  const decided = withChanges([], cannot, new Map([[2, { head: 1 }]]));
  assert.deepEqual(decisionsIn(decided, cannot), new Map([[2, { head: 1, label: null, tag: null }]]));
});

test("the server is asked for what it lacks, and no more", () => {
  const view = (fixed: NonNullable<WordView["fixed"]>) => ({
    form: "x",
    start: 0,
    end: 1,
    tag: "X",
    features: "_",
    fixed,
  });
  const words = [
    { ...view(["head", "tag"]), head: 2, label: "obj" },
    { ...view([]), head: 0, label: "root" },
    { ...view(["head"]), head: "later" as const, label: null },
  ];
  const held = heldBy(words);
  assert.deepEqual(held.get(1), { head: 2, label: null, tag: "X" });
  const wanted = new Map([
    [1, { head: 2, label: "nsubj", tag: null }],
    [3, { head: 1, label: null, tag: null }],
  ]);
  assert.deepEqual(fixBetween(held, wanted), { heads: { 3: 1 }, labels: { 1: "nsubj" }, tags: { 1: null } });
  assert.equal(fixBetween(held, held), null);
});

test("random decisions that are moved by edits elsewhere stand at their words", () => {
  let seed = 11;
  const below = (count: number) => (seed = (seed * 48271) % 2147483647) % count;
  for (let round = 0; round < 300; round++) {
    const words = Array.from({ length: 6 }, () => "abcdefgh".slice(0, 1 + below(7)));
    const text = words.join(" ");
    const head = below(7);
    const number = 1 + ((head + below(5)) % 6);
    if (head === number) continue;
    const decided: Decisions = withChanges([], sentenceOf(text), new Map([[number, { head }]]));
    const place = below(text.length + 1);
    const inserted = ["", " ", "zz ", " zz"][below(4)]!;
    const after = text.slice(0, place) + inserted + text.slice(place);
    const found = [...decisionsIn(mapDecisions(decided, change(place, place, inserted)), sentenceOf(after))];
    const formsAfter = after.match(/\S+/g)!;
    for (const [word, { head: headNow }] of found) {
      assert.equal(formsAfter[word - 1], words[number - 1], text);
      if (head && headNow !== null) assert.equal(formsAfter[headNow - 1], words[head - 1], text);
    }
  }
});

test("circles and a second root are told in words", () => {
  const words = ["a", "b", "c"].map((form) => ({ form, head: null, label: null }));
  const heads = new Map([
    [1, 2],
    [2, 3],
    [3, 0],
  ]);
  assert.equal(contradiction(words, heads, 1, 3), null);
  assert.match(contradiction(words, heads, 3, 1)!, /“a” hangs on “b” and “b” hangs on “c”, which would be a circle/);
  assert.match(contradiction(words, heads, 2, 2)!, /itself/);
  assert.match(rivalOfRoot(words, heads, 1)!, /“c” is fixed as the root/);
  assert.equal(rivalOfRoot(words, heads, 3), null);
});

test("each word has a key of its own, and none begins another one", () => {
  for (const count of [1, 5, 26, 27, 28, 80, 300, 676]) {
    const keys = keysOfWords(count, Math.ceil(count / 2));
    const all = [...keys.values()];
    assert.equal(all.length, count);
    assert.ok(all.every((one) => all.every((other) => one === other || !other.startsWith(one))));
    assert.ok(all.every((one) => one.length <= 2));
  }
  assert.equal(keysOfWords(60, 30).get(31), "b", "the nearest words have one letter");
  assert.equal(letterOf({ key: "ש", code: "KeyA" }), "a");
  assert.equal(letterOf({ key: "H", code: "KeyH" }), "h");
  assert.equal(letterOf({ key: "Enter", code: "Enter" }), null);
});

test("the present label comes first, then the likely ones, then all others of the model", () => {
  const known = ["punct", "root", "obj", "nmod", "nmod:poss", "obl", "nsubj", "case"];
  const below = labelsFor({ label: "case", tag: "NOUN", headTag: "NOUN" }, known);
  assert.deepEqual(below.slice(0, 3), ["case", "nmod", "nmod:poss"]);
  assert.deepEqual([...below].sort(), known.filter((one) => one !== "root").sort());
  assert.deepEqual(labelsFor({ label: "obj", tag: "VERB", headTag: null }, known), ["root"]);
  assert.deepEqual(tagsFor("NOUN", ["VERB", "PROPN", "NOUN"]), ["NOUN", "PROPN", "VERB"]);
});
