import assert from "node:assert/strict";
import test from "node:test";
import type { ChoiceView, StepName } from "../../web/source/client/index.ts";
import { nudgeOf, wordsConcerned } from "../../web/source/practice/step_hints.ts";
import { crosses } from "../../web/source/practice/step_texts.ts";

const DOG = wordsOf([2, 3, 0, 3]);
const MAN = wordsOf([2, 3, 0, 5, 2, 5, 3]);

function wordsOf(heads: readonly number[]) {
  return heads.map((head) => ({ form: "", head, label: "dep" }));
}

function place(stack: readonly number[], optimal: readonly StepName[], loses: ChoiceView["loses"] = []) {
  const choice: ChoiceView = { step: "reduce_left", head: 0, child: 1, label: null, loses, says: "" };
  return { stack, front: Math.max(...stack) + 1, optimal, choices: [choice] };
}

test("an arc that can be made is nudged to, and its words are named", () => {
  const ready = place([0, 1, 2], ["reduce_right"]);
  assert.deepEqual([nudgeOf(ready, DOG), wordsConcerned(ready, DOG)], ["ready", [1, 2]]);
});

test("where it is too early for an arc, the words of one that would be lost are named, or else the next word", () => {
  const early = place([0, 1], ["shift"], [[2, 1]]);
  assert.deepEqual([nudgeOf(early, DOG), wordsConcerned(early, DOG)], ["early", [1, 2]]);
  assert.deepEqual(wordsConcerned(place([0], ["shift"]), DOG), [1]);
});

test("a word that cannot have its own arc makes way", () => {
  const aside = place([0, 3, 5], ["reduce_left"]);
  assert.deepEqual([nudgeOf(aside, MAN), wordsConcerned(aside, MAN)], ["aside", [3, 5]]);
});

test("arcs that cross others are told from those that do not", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7].map((child) => crosses(child, MAN)), [false, false, true, false, true, false, true]); // prettier-ignore
  assert.ok([1, 2, 3, 4].every((child) => !crosses(child, DOG)));
  assert.equal(crosses(1, [{ head: null }, { head: 0 }]), false);
});
