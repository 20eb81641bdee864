import assert from "node:assert/strict";
import test from "node:test";
import { LANGUAGES, PRACTICE_SENTENCES, type GoldSentence } from "../../web/source/practice/practice_sentences.ts";

function isTree({ words }: GoldSentence): boolean {
  const reachesRoot = (number: number, left: number): boolean =>
    number === 0 || (left > 0 && reachesRoot(words[number - 1]!.head!, left - 1));
  return (
    words.every((_, place) => reachesRoot(place + 1, words.length)) && words.filter(({ head }) => !head).length === 1
  );
}

function hasCrossing({ words }: GoldSentence): boolean {
  const spans = words.map(({ head }, place) => [Math.min(head!, place + 1), Math.max(head!, place + 1)] as const);
  return spans.some(([from, to]) => spans.some(([left, right]) => from < left && left < to && to < right));
}

test("every sentence of the practice has one tree over the words of its text", () => {
  assert.equal(PRACTICE_SENTENCES.length, 29);
  for (const sentence of PRACTICE_SENTENCES) {
    const { text, words } = sentence;
    assert.equal(words.map((word) => word.form).join(""), text.replaceAll(" ", ""));
    assert.ok(isTree(sentence), text);
  }
});

test("there are three difficulties in English, and other languages; arcs cross in a hard and a German sentence", () => {
  const groups = new Map(PRACTICE_SENTENCES.map(({ group, lang }) => [group, lang]));
  const languages = { ...LANGUAGES, Easy: "en", Medium: "en", Hard: "en" };
  assert.deepEqual(Object.fromEntries(groups), languages);
  assert.deepEqual([...groups.values()].sort().join(" "), "af de en en en es fr he nl pt");
  assert.deepEqual(
    PRACTICE_SENTENCES.filter(hasCrossing).map(({ group }) => group),
    ["Hard", "German"],
  );
});
