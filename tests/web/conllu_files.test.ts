import assert from "node:assert/strict";
import test from "node:test";
import { sentencesOfConllu } from "../../web/source/page/conllu_files.ts";

const row = (id: string, form: string, head = "_", label = "_", misc = "_") =>
  [id, form, "_", "_", "_", "_", head, label, "_", misc].join("\t");

test("the sentences of a file have their text, words and heads", () => {
  const file = ["# text = A dog.", row("1", "A", "2", "det"), row("2", "dog", "0", "root"), row("3", ".", "2"), "", ""];
  const [sentence, ...others] = sentencesOfConllu(file.join("\r\n"), "a.conllu");
  assert.equal(others.length, 0);
  assert.equal(sentence?.text, "A dog.");
  assert.deepEqual(
    sentence?.words.map(({ form, head }) => [form, head]),
    [
      ["A", 2],
      ["dog", 0],
      [".", 2],
    ],
  );
});

test("without a text it is made of tokens as they stand on the page, not of empty nodes", () => {
  const rows = [row("1-2", "zum"), row("1", "zu"), row("2", "dem"), row("2.1", "nothing")];
  const file = [...rows, row("3", "See", "_", "_", "SpaceAfter=No"), row("4", "!")].join("\n");
  const [sentence] = sentencesOfConllu(file, "b.conllu");
  assert.equal(sentence?.text, "zum See!");
  assert.equal(sentence?.words.length, 4);
});

test("a file of another kind is refused with the line", () => {
  assert.throws(() => sentencesOfConllu("# x\nHello there\n", "c.txt"), /line 2 has 1 columns and not 10/);
});
