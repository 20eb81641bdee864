import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { treebanksAtHand } from "./treebanks_at_hand.ts";

/** What is found in a folder, and how often a test is left out for it. */
function found(t: TestContext, folder: string | undefined): [string[], number] {
  const [before, skip] = [process.env.TREEWHILE_DATA, t.mock.fn()];
  t.after(() => (before === undefined ? delete process.env.TREEWHILE_DATA : (process.env.TREEWHILE_DATA = before)));
  if (folder === undefined) delete process.env.TREEWHILE_DATA;
  else process.env.TREEWHILE_DATA = folder;
  return [treebanksAtHand({ skip } as unknown as TestContext), skip.mock.callCount()];
}

test("tests of treebanks are left out only while no folder is named", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "treebanks-"));
  t.after(() => rmSync(folder, { recursive: true }));
  assert.deepEqual(found(t, undefined), [[], 1]);
  assert.throws(() => found(t, folder), /has no \.conllu file/);
  assert.throws(() => found(t, join(folder, "gone")), /ENOENT/);
  writeFileSync(join(folder, "one.conllu"), "");
  assert.deepEqual(found(t, folder), [[join(folder, "one.conllu")], 0]);
});
