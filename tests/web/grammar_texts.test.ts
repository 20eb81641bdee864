import assert from "node:assert/strict";
import { test } from "node:test";
import { withException } from "../../web/source/page/grammar_texts.ts";

function excepted(formula: string, ...words: string[]): string {
  const text = `constraint c penalty 0.5, X: ${formula} # mine\n    wrong "a b"\n`;
  const written = words.reduce((before, word) => withException(before, "c", word) ?? "gone", text);
  return written.slice(written.indexOf(":") + 2, written.indexOf(" # mine"));
}

test("an exception lets the whole formula hold, and further ones are no deeper", () => {
  assert.equal(excepted("a -> b", "Dog"), '(a -> b) or X.lower = "dog"');
  assert.equal(excepted("a -> b", "Dog", "cat"), '(a -> b) or X.lower in {"dog", "cat"}');
  assert.equal(excepted("a -> b", "}", '"', "x"), '(a -> b) or X.lower in {"}", "\\"", "x"}');
});

test("the same exception is made once", () => {
  assert.equal(excepted("a", "dog", "dog"), '(a) or X.lower = "dog"');
  assert.equal(excepted("a", "dog", "cat", "DOG", "cat"), '(a) or X.lower in {"dog", "cat"}');
});

test("what only looks like an exception is part of the formula", () => {
  const written = '(a) <-> (b) or X.lower = "dog"';
  assert.equal(excepted(written, "cat"), `(${written}) or X.lower = "cat"`);
});

test("words are folded as the language folds them", () => {
  assert.equal(excepted("a", "Straße", "ΛΟΓΟΣ"), '(a) or X.lower in {"strasse", "λογοσ"}');
});
