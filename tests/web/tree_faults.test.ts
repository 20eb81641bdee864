import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { conlluFile } from "../../web/source/page/conllu_files.ts";
import { brokenRules } from "../../web/source/page/label_rules.ts";
import { faultsOf } from "../../web/source/page/tree_faults.ts";

const VECTORS = new URL("../../tests/vectors/rules/labels.conllu", import.meta.url);

/** Words, written form/TAG/head/label. */
function words(written: string) {
  return written.split(" ").map((one) => {
    const [form, tag, head, label] = one.split("/") as [string, string, string, string];
    return { form, tag, head: head === "_" ? null : Number(head), label, features: "_" };
  });
}

const told = (written: string) => faultsOf(words(written)).map((fault) => fault.told);

test("labels break a rule if and only if they do for the parser", () => {
  const { sentences } = conlluFile("labels.conllu", readFileSync(VECTORS, "utf8"));
  assert.equal(sentences.length, 240);
  for (const { source, words } of sentences) {
    const known = words.map((word) => ({ ...word, tag: word.tag!, features: word.features! }));
    assert.equal(brokenRules(known).length > 0, source.startsWith("# broken = yes"), source);
  }
});

test("what is no tree is told, with the words", () => {
  assert.deepEqual(told("a/X/2/dep b/X/3/dep c/X/2/dep d/X/0/root"), ["the heads of *b* and *c* go round in a circle"]);
  assert.deepEqual(told("a/X/1/dep b/X/0/root"), ["the heads of *a* go round in a circle"]);
  assert.deepEqual(told("a/X/0/root b/X/0/root"), ["*a* and *b* are 2 roots, and a tree has one"]);
  assert.deepEqual(told("a/X/_/dep b/X/0/root"), ["*a* has no head in this sentence"]);
  assert.deepEqual(told("a/X/2/root b/X/0/dep"), [
    "*a* is called root, but has a head",
    "*b* is the root, but is called dep",
  ]);
});

test("rules for labels are told with their reasons", () => {
  assert.deepEqual(told("Dogs/NOUN/2/nsubj bark/VERB/0/root loud/NOUN/2/advmod"), [
    "*loud* is NOUN, but advmod is for ADV, ADJ, CCONJ, DET, PART or SYM",
  ]);
  assert.deepEqual(told("Dogs/NOUN/2/nsubj bark/VERB/0/root they/PRON/2/nsubj"), ["*bark* has 2 subjects"]);
  assert.deepEqual(told("of/ADP/2/case Rome/PROPN/0/root old/ADJ/1/amod"), [
    "*old* is amod below *of*, which is case: that has no such words below it",
  ]);
  assert.deepEqual(told("sing/VERB/0/root songs/NOUN/1/obj joy/NOUN/2/obl"), [
    "*joy* is obl below *songs*, a nominal: there it is nmod",
  ]);
});

test("trees with other labels than those of Universal Dependencies are not judged by its rules", () => {
  assert.deepEqual(told("Dogs/NN/2/SBJ bark/VB/0/root they/PRP/2/SBJ"), []);
});
