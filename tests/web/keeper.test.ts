import assert from "node:assert/strict";
import test from "node:test";
import { Keeper } from "../../web/source/page/keeper.ts";
import { TextStore, type ChangedParts } from "../../web/source/page/text_store.ts";

test("parts of a file that could not be written are written with what is noted next", async (t) => {
  Object.assign(globalThis, { indexedDB: { open: () => ({}) } });
  t.after(() => Reflect.deleteProperty(globalThis, "indexedDB"));
  const written: ChangedParts[] = [];
  let isFull = true;
  t.mock.method(TextStore.prototype, "put", async (_: unknown, parts: ChangedParts) => {
    if (isFull) throw new Error("there is no room");
    written.push(parts);
  });
  const keeper = new Keeper();
  keeper.noteFile({ name: "one.conllu", blob: new Blob() });
  const noted = async (rewritten: readonly (readonly [number, string])[]) => {
    keeper.noteParts(new Map(rewritten));
    const isWritten = new Promise<void>((resolve) => keeper.changed.listen(resolve));
    keeper.noteNow({ text: "a" });
    await isWritten;
  };
  const [first, second, anew] = [[3, "part"] as const, [4, "another"] as const, [3, "anew"] as const];
  await noted([first, second]);
  isFull = false;
  await noted([anew, second]);
  await noted([anew, second]);
  isFull = true;
  const failing = noted([first]);
  keeper.noteFile(null);
  await failing;
  isFull = false;
  await noted([]);
  assert.deepEqual(
    written.map((parts) => [...parts].sort()),
    [[anew, second], [], []],
  );
});
