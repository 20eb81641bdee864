import assert from "node:assert/strict";
import test from "node:test";
import { placeAnalysis, type PlacedSentence } from "../../web/source/client/analyses.ts";
import { sentencesOfConllu, type FileSentence } from "../../web/source/page/conllu_files.ts";
import { savedConllu } from "../../web/source/page/saved_conllu.ts";
import { analysisOf } from "./fake_server.ts";

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

const RICH = [
  "# newdoc id = d1",
  "# sent_id = d1-1",
  "# text = Zum See.",
  "1-2\tZum\t_\t_\t_\t_\t_\t_\t_\t_",
  "1\tZu\tzu\tADP\tAPPR\t_\t3\tcase\t_\t_",
  "2\tdem\tder\tDET\tART\tCase=Dat\t3\tdet\t_\t_",
  "3\tSee\tSee\tNOUN\tNN\tCase=Dat\t0\troot\t0:root\tSpaceAfter=No|Gloss=lake",
  "3.1\tgehen\tgehen\tVERB\t_\t_\t_\t_\t0:root\t_",
  "4\t.\t.\tPUNCT\t$.\t_\t3\tpunct\t_\t_",
  "",
  "",
  "# sent_id = d1-2",
  "# text = Ja!",
  "1\tJa\tja\tINTJ\t_\t_\t0\troot\t_\tSpaceAfter=No",
  "2\t!\t!\tPUNCT\t_\t_\t1\tpunct\t_\t_",
].join("\n");

/** As the page parses some lines: each a sentence of words between spaces. */
function parsed(text: string): PlacedSentence[] {
  return [...text.matchAll(/[^\n]+/g)].map((line, sentence) =>
    placeAnalysis(analysisOf(line[0], 1, { sentence, start: line.index, stage: "final" })),
  );
}

const textOf = (sentences: readonly FileSentence[]) => sentences.map(({ text }) => text).join("\n\n");

test("what is opened and saved is the same file, whatever stands in it", () => {
  for (const file of [RICH, `\uFEFF${RICH}\n\n`, `# global.columns = x\n\n${RICH}\n`, RICH.replaceAll("\n", "\r\n")]) {
    const sentences = sentencesOfConllu(file, "a.conllu");
    assert.equal(textOf(sentences), "Zum See.\n\nJa!");
    const saved = savedConllu(textOf(sentences), parsed(textOf(sentences)), sentences);
    assert.equal(saved.contents, file);
    assert.deepEqual([saved.kept, saved.parsed, saved.missing], [2, 0, 0]);
  }
});

test("lines that are new or edited are saved as they are parsed, all others as the file had them", () => {
  const sentences = sentencesOfConllu(RICH, "a.conllu");
  const text = "Ja!\nA dog\n\nZum See.\n\nJa?";
  const { contents, kept, parsed: anew } = savedConllu(text, parsed(text), sentences);
  const [yes, dog, lake, question] = contents.split(/\n\n+/);
  assert.match(yes!, /sent_id = d1-2/);
  assert.match(dog!, /^# text = A dog\n1\tA\t_\tX/);
  assert.match(lake!, /3\.1\tgehen/);
  assert.match(question!, /^# text = Ja\?\n1\tJa\?/);
  assert.deepEqual([kept, anew], [2, 2]);
});

test("of a sentence that runs into a line of the file, the words outside are saved", () => {
  const sentences = sentencesOfConllu(RICH, "a.conllu");
  const run = [placeAnalysis(analysisOf("Ja!\nA dog", 1, { stage: "final" }))];
  const { contents } = savedConllu("Ja!\nA dog", run, sentences);
  assert.deepEqual(
    contents.split("\n").flatMap((line) => (/^\d/.test(line) ? [line.split("\t").slice(0, 2).join(" ")] : [])),
    ["1 Ja", "2 !", "1 A", "2 dog"],
  );
});

test("sentences of the same text are told apart by their order", () => {
  const file = ["a", "b"].map((id) => `# sent_id = ${id}\n${row("1", "Ja", "0", "root")}\n\n`).join("");
  const sentences = sentencesOfConllu(file, "b.conllu");
  assert.equal(savedConllu(textOf(sentences), [], sentences).contents, file);
});

test("lines without an analysis are counted", () => {
  const saved = savedConllu("A dog\n\n", [], []);
  assert.deepEqual([saved.contents, saved.missing], ["", 1]);
});
