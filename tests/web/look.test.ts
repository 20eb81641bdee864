import assert from "node:assert/strict";
import test from "node:test";
import type { MarginView } from "../../web/source/client/index.ts";
import { doubtsOf, Walk } from "../../web/source/look/doubts.ts";
import type { TreeWord } from "../../web/source/tree/index.ts";

const WORDS: readonly TreeWord[] = [
  { id: 11, form: "I", head: 2, label: "nsubj" },
  { id: 12, form: "saw", head: 0, label: "root" },
  { id: 13, form: "men", head: 2, label: "obj" },
];

function margin(word: number, head: number, ahead: number | null, rival: number | null): MarginView {
  return { word, head, label: "dep", margin: ahead, rival: rival === null ? null : { head: rival, label: "x" } };
}

const MARGINS = [margin(3, 2, 0.5, 1), margin(1, 2, -0.2, 3), margin(2, 0, null, null)];

function numbers(words: readonly TreeWord[], margins: readonly MarginView[] = MARGINS): number[] {
  return doubtsOf(words, margins).map(({ number }) => number);
}

test("the least sure arc stands first, and one without a rival last", () => {
  assert.deepEqual(numbers(WORDS), [1, 3, 2]);
});

test("there is no doubt about a head that somebody has decided, and about one that nobody knows", () => {
  const [first, second, third] = WORDS as [TreeWord, TreeWord, TreeWord];
  assert.deepEqual(numbers([{ ...first, fixed: ["head"] }, second, third]), [3, 2]);
  assert.deepEqual(numbers([{ ...first, fixed: ["label"] }, second, { ...third, head: null }]), [1, 2]);
});

test("an arc that the parser does not have is as far behind as that is ahead, and the parser's is its rival", () => {
  const [first, second, third] = WORDS as [TreeWord, TreeWord, TreeWord];
  const [doubt] = doubtsOf([first, second, { ...third, head: 1, label: "nmod" }], MARGINS);
  assert.equal(doubt?.margin, -0.5);
  assert.equal(doubt.rival?.head, 2);
  assert.deepEqual(doubt.arc, { head: 1, label: "nmod" });
});

test("a walk comes to every word once, and then begins anew", () => {
  const walk = new Walk();
  const doubts = doubtsOf(WORDS, MARGINS);
  const step = () => walk.next(doubts, ({ number }) => WORDS[number - 1]!.id)?.number ?? null;
  assert.deepEqual([step(), step(), step(), step(), step()], [1, 3, 2, null, 1]);
  walk.note(13);
  assert.equal(step(), 2);
});
