/** The CoNLL-U files in the folder that TREEWHILE_DATA names; while that names none, their test is left out. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import type { TestContext } from "node:test";

export function treebanksAtHand(t: TestContext): string[] {
  const data = process.env.TREEWHILE_DATA;
  if (!data) {
    t.skip("TREEWHILE_DATA names no folder with treebanks");
    return [];
  }
  const names = readdirSync(data, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name.endsWith(".conllu"));
  assert.ok(files.length, `TREEWHILE_DATA names ${data}, which has no .conllu file: correct it, or leave it out`);
  return files.map((name) => `${data}/${name}`);
}
