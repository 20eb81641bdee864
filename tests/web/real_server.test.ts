import assert from "node:assert/strict";
import test from "node:test";
import { TreewhileClient, type ClientDocument } from "../../web/source/client/index.ts";

const address = process.env.TREEWHILE_ADDRESS ?? "";
const skip = address ? false : "no server: set TREEWHILE_ADDRESS to the address of one, such as ws://localhost:8080/";

/** Waits until a document is as it should be. */
function until(document: ClientDocument, isDone: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = document.changed.listen(() => {
      if (!isDone()) return;
      stop();
      resolve();
    });
  });
}

const formsOf = (document: ClientDocument) =>
  document.sentences.flatMap(({ analysis, words }) => words.map((word) => analysis.words[word.number - 1]!.form));

test(
  "a text that is typed and edited has the words that it would have if it were opened",
  { skip, timeout: 60_000 },
  async () => {
    const client = new TreewhileClient(address);
    client.connect();
    const typed = client.open("typed");
    for (const letter of "The 🎉 dog barks. Nobody hears it.") typed.edit(typed.text.length, typed.text.length, letter);
    typed.edit(4, 6, "old");
    typed.edit(7, 11, " cat");
    const opened = client.open("opened", typed.text);
    const isDone = (document: ClientDocument) => document.isCurrent && document.sentences.length === 2;
    await Promise.all([typed, opened].map((document) => until(document, () => isDone(document))));
    assert.equal(typed.text, "The old cat barks. Nobody hears it.");
    assert.deepEqual(formsOf(typed), formsOf(opened));
    assert.deepEqual(formsOf(opened), ["The", "old", "cat", "barks", ".", "Nobody", "hears", "it", "."]);
    client.close();
  },
);

test("a session that loses its socket goes on where it was", { skip, timeout: 60_000 }, async () => {
  const client = new TreewhileClient(address);
  const document = client.open("letter", "The dog barks");
  client.connect();
  await until(document, () => document.sentences.length === 1);
  client.connect();
  document.edit(13, 13, " loudly");
  await until(document, () => document.isCurrent && formsOf(document).length === 4);
  assert.equal(client.welcome?.resumed, true);
  assert.deepEqual(formsOf(document), ["The", "dog", "barks", "loudly"]);
  client.close();
});
