/** Trees as LaTeX: what a word is written with must not end a cell, or begin its options. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { latexOf, latexOfPhrases } from "../../web/source/tree/latex.ts";

const written = (...forms: string[]) => ({
  words: forms.map((form, place) => ({ form, tag: "X", head: place, label: place ? "dep" : "root" })),
  virtual: [],
});

function cellsOf(...forms: string[]): string[] {
  const [, row = ""] = /column sep=0\.7em\]\n {4}(.*) \\\\\n/.exec(latexOf(written(...forms))) ?? [];
  return row.split(" \\& ");
}

test("an ampersand ends no cell", () => {
  assert.deepEqual(cellsOf("R&D", "&", "x"), ["R\\symbol{38}D", "\\symbol{38}", "x"]);
});

test("brackets and bars begin no options", () => {
  assert.deepEqual(cellsOf("[x]", "a[b]", "|x|"), ["{[x]}", "a[b]", "{|x|}"]);
});

test("words of phrases stand in braces", () => {
  assert.match(latexOfPhrases(written("[x,=]", "&")), /\[\{X\} \[\{\[x,=\]\}\]\]\n.*\[\{X\} \[\{\\symbol\{38\}\}\]\]/s);
});
