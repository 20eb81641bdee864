/** The CoNLL-U files in the folder that TREEWHILE_DATA names; without one, their test is left out. */

import { existsSync, readdirSync } from "node:fs";
import type { TestContext } from "node:test";

export function treebanksAtHand(t: TestContext): string[] {
  const data = process.env.TREEWHILE_DATA;
  if (!data || !existsSync(data)) {
    t.skip("TREEWHILE_DATA names no folder with treebanks");
    return [];
  }
  const names = readdirSync(data, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".conllu")).map((name) => `${data}/${name}`);
}
