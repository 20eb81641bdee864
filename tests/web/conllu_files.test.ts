import assert from "node:assert/strict";
import test from "node:test";
import { Text } from "@codemirror/state";
import { placeAnalysis, type PlacedSentence } from "../../web/source/client/analyses.ts";
import { smallestEdit, type TextChange } from "../../web/source/client/changes.ts";
import type { WordView } from "../../web/source/client/protocol.ts";
import { annotatedAt } from "../../web/source/page/annotated_sentences.ts";
import { isConllu } from "../../web/source/page/conllu_beginning.ts";
import { conlluFile } from "../../web/source/page/conllu_files.ts";
import { FileAnnotations, opened } from "../../web/source/page/file_annotations.ts";
import { savedConllu } from "../../web/source/page/saved_conllu.ts";
import { analysisOf } from "./fake_server.ts";

const row = (id: string, form: string, head = "_", label = "_", misc = "_") =>
  [id, form, "_", "_", "_", "_", head, label, "_", misc].join("\t");

test("the sentences of a file have their text, words and heads", () => {
  const file = ["# text = A dog.", row("1", "A", "2", "det"), row("2", "dog", "0", "root"), row("3", ".", "2"), "", ""];
  const [sentence, ...others] = conlluFile("a.conllu", file.join("\r\n")).sentences;
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
  const [sentence] = conlluFile("b.conllu", file).sentences;
  assert.equal(sentence?.text, "zum See!");
  assert.equal(sentence?.words.length, 4);
});

test("a file of another kind is refused with the line", () => {
  assert.throws(() => conlluFile("c.txt", "# x\nHello there\n"), /line 2 has 1 columns and not 10/);
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

/** An editor with a file in it, and a parser for which punctuation is a word and every word hangs on the one before. */
class Desk {
  text: string;
  annotations: FileAnnotations;

  constructor(file: string) {
    ({ text: this.text, annotations: this.annotations } = opened(conlluFile("a.conllu", file)));
  }

  /** Puts `inserted` in the place of `found`, which stands in the text once, or for the first time. */
  replace(found: string, inserted: string): this {
    const from = this.text.indexOf(found);
    assert.ok(from >= 0, `${found} is not in the text`);
    return this.edit(from, from + found.length, inserted);
  }

  edit(from: number, to: number, inserted: string): this {
    const change = smallestEdit(from, this.text.slice(from, to), inserted) as TextChange;
    this.text = this.text.slice(0, from) + inserted + this.text.slice(to);
    this.annotations = this.annotations.changed([change], Text.of(this.text.split("\n")));
    return this;
  }

  reload(): this {
    const { file, places } = this.annotations;
    this.annotations = FileAnnotations.restored(file, Text.of(this.text.split("\n")), places);
    return this;
  }

  saved(parsed = parsedLines(this.text)) {
    return savedConllu(this.text, parsed, this.annotations);
  }

  /** The sentences that are saved, without blank lines. */
  blocks(parsed = parsedLines(this.text)): string[][] {
    return this.saved(parsed)
      .contents.split(/\n\n+/)
      .filter(Boolean)
      .map((block) => block.split("\n"));
  }
}

/** As the page parses some lines: each a sentence. */
function parsedLines(text: string): PlacedSentence[] {
  return [...text.matchAll(/[^\n]+/g)].map((line, sentence) => parsedAs(line[0], line.index, sentence));
}

/** A sentence whose second word is the root, if it has one, on which all others hang. */
function parsedAs(text: string, start = 0, sentence = 0): PlacedSentence {
  const words = [...text.matchAll(/[^\s.!?]+|[.!?]/g)].map(({ 0: form, index }, place, { length = 2 }): WordView => {
    const root = Math.min(1, length - 1);
    const [head, label] = place === root ? [0, "root"] : [root + 1, "parsed"];
    return { form, start: index, end: index + form.length, tag: "X", features: "_", head, label };
  });
  const root = Math.min(2, words.length);
  const heads = words.map((word, place) => ({
    ...word,
    head: place + 1 === root ? 0 : root,
    label: place + 1 === root ? "root" : "parsed",
  }));
  return placeAnalysis(analysisOf(text, 1, { words: heads, sentence, start, stage: "final" }));
}

const CATS = [
  "# newdoc id = cats",
  "# sent_id = cats-1",
  "# text = Old cats sleep.",
  "# note = checked",
  "1\tOld\told\tADJ\tJJ\tDegree=Pos\t2\tamod\t2:amod\tGloss=aged",
  "2\tcats\tcat\tNOUN\tNNS\tNumber=Plur\t3\tnsubj\t3:nsubj|3.1:nsubj\t_",
  "3\tsleep\tsleep\tVERB\tVBP\t_\t0\troot\t0:root\tSpaceAfter=No",
  "3.1\tdream\tdream\tVERB\t_\t_\t_\t_\t3:conj\t_",
  "4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t3:punct\tSpaceAfter=No",
  "",
  "# sent_id = cats-2",
  "# text = I cannot go",
  "1\tI\tI\tPRON\tPRP\tCase=Nom\t4\tnsubj\t_\t_",
  "2-3\tcannot\t_\t_\t_\t_\t_\t_\t_\t_",
  "2\tcan\tcan\tAUX\tMD\t_\t4\taux\t_\t_",
  "3\tnot\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_",
  "4\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_",
  "",
  "",
].join("\n");

test("what is opened and saved is the same file, whatever stands in it, also before anything is parsed", () => {
  for (const file of [RICH, `\uFEFF${RICH}\n\n`, `# global.columns = x\n\n${RICH}\n`, RICH.replaceAll("\n", "\r\n")]) {
    const desk = new Desk(file);
    assert.equal(desk.text, "Zum See.\n\nJa!");
    for (const saved of [desk.saved(), desk.saved([]), desk.reload().saved()]) {
      assert.equal(saved.contents, file);
      assert.deepEqual([saved.kept, saved.edited, saved.parsed], [2, 0, 0]);
    }
  }
});

test("sentences that are cut and pasted stay what they were, and what is new is parsed", () => {
  const desk = new Desk(RICH);
  desk.replace("Ja!", "").edit(0, 0, "Ja!\nA dog\n\n");
  const { contents, kept, parsed: anew } = desk.saved();
  const [yes, dog, lake] = contents.split(/\n\n+/);
  assert.match(yes!, /sent_id = d1-2/);
  assert.match(dog!, /^# text = A dog\n1\tA\t_\tX/);
  assert.match(lake!, /3\.1\tgehen/);
  assert.deepEqual([kept, anew], [2, 1]);
});

test("one letter costs a sentence nothing but the row of its word", () => {
  const [cats] = new Desk(CATS).replace("Old", "Odd").blocks();
  const lines = new Desk(CATS).blocks()[0]!;
  assert.deepEqual(cats, [
    ...lines.slice(0, 2),
    "# text = Odd cats sleep.",
    "# note = checked",
    "1\tOdd\t_\tX\t_\t_\t2\tparsed\t2:parsed\t_",
    ...lines.slice(5),
  ]);
});

test("words that come renumber all that is behind them, ranges and enhanced dependencies too", () => {
  const desk = new Desk(CATS).replace("cats", "grey cats").replace("I cannot", "So I cannot");
  const [cats, go] = desk.blocks();
  assert.deepEqual(cats!.slice(4), [
    "1\tOld\told\tADJ\tJJ\tDegree=Pos\t3\tamod\t3:amod\tGloss=aged",
    "2\tgrey\t_\tX\t_\t_\t4\tparsed\t4:parsed\t_".replace("4\tparsed\t4:parsed", "4\tparataxis\t4:parataxis"),
    "3\tcats\tcat\tNOUN\tNNS\tNumber=Plur\t4\tnsubj\t4:nsubj|4.1:nsubj\t_",
    "4\tsleep\tsleep\tVERB\tVBP\t_\t0\troot\t0:root\tSpaceAfter=No",
    "4.1\tdream\tdream\tVERB\t_\t_\t_\t_\t4:conj\t_",
    "5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t4:punct\tSpaceAfter=No",
  ]);
  assert.deepEqual(go, [
    "# sent_id = cats-2",
    "# text = So I cannot go",
    "1\tSo\t_\tX\t_\t_\t2\tparsed\t_\t_",
    "2\tI\tI\tPRON\tPRP\tCase=Nom\t5\tnsubj\t_\t_",
    "3-4\tcannot\t_\t_\t_\t_\t_\t_\t_\t_",
    "3\tcan\tcan\tAUX\tMD\t_\t5\taux\t_\t_",
    "4\tnot\tnot\tPART\tRB\t_\t5\tadvmod\t_\t_",
    "5\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_",
  ]);
});

test("a word whose head is gone hangs where it is parsed, and what named the word that is gone goes", () => {
  const [cats] = new Desk(CATS).replace("sleep", "doze").blocks();
  assert.deepEqual(
    cats!.slice(4).map((line) => line.split("\t").toSpliced(2, 4).join(" ")),
    [
      "1 Old 2 amod 2:amod Gloss=aged",
      "2 cats 0 root 0:root _",
      "3 doze 2 parsed 2:parsed SpaceAfter=No",
      "4 . 2 parsed 2:parsed SpaceAfter=No",
    ],
  );
});

test("a sentence that is edited back is the file's again, however it was edited", () => {
  const desk = new Desk(CATS);
  desk.replace("Old cats", "New dogs").replace("New", "Old");
  assert.match(desk.blocks()[0]![4]!, /^1\tOld\told\tADJ\tJJ\tDegree=Pos\t2\tamod\t2:amod/);
  assert.equal(desk.replace("dogs", "cats").saved().contents, CATS);
  assert.equal(desk.replace("Old cats sleep.", "").replace("\n\n", "Old cats sleep.\n\n").saved().contents, CATS);
});

test("edited sentences are the same after reloading", () => {
  const desk = new Desk(CATS).replace("cats", "dogs").replace("cannot", "can");
  const { contents } = desk.saved();
  assert.equal(desk.reload().saved().contents, contents);
});

test("sentences of the same text are told apart by their places", () => {
  const file = ["a", "b", "c"].map((id) => `# sent_id = ${id}\n${row("1", "Ja", "0", id)}\n\n`).join("");
  const desk = new Desk(file);
  assert.equal(desk.saved([]).contents, file);
  desk.edit(0, 4, "");
  assert.deepEqual(
    desk.blocks().map(([id]) => id),
    ["# sent_id = b", "# sent_id = c"],
  );
  desk.edit(0, 0, "Ja\n\n");
  assert.equal(desk.saved([]).contents, file);
});

test("two sentences that become one keep the rows of both and lose no id", () => {
  const desk = new Desk(CATS).replace(".\n\nI", " and I");
  const [joined, ...others] = desk.blocks();
  assert.equal(others.length, 0);
  assert.deepEqual(
    joined!.filter((line) => line.startsWith("#")),
    [
      "# newdoc id = cats",
      "# sent_id = cats-1",
      "# text = Old cats sleep and I cannot go",
      "# note = checked",
      "# joined_sent_id = cats-2",
    ],
  );
  const rows = joined!.filter((line) => /^\d+\t/.test(line)).map((line) => line.split("\t"));
  assert.deepEqual(
    rows.map(([, form, lemma, , , , head, label]) => [form, lemma, head, label].join(" ")),
    [
      "Old old 2 amod",
      "cats cat 3 nsubj",
      "sleep sleep 0 root",
      "and _ 2 parsed",
      "I I 8 nsubj",
      "can can 8 aux",
      "not not 8 advmod",
      "go go 2 parsed",
    ],
  );
  assert.equal(desk.saved().joined, 1);
});

test("a sentence that a line break parts keeps its id in front and its rows in both", () => {
  const desk = new Desk(CATS).replace(" sleep", "\n\nsleep");
  const [cats, sleep] = desk.blocks();
  assert.deepEqual(cats!.slice(1, 3), ["# sent_id = cats-1", "# text = Old cats"]);
  assert.deepEqual(sleep!.slice(0, 2), [
    "# text = sleep.",
    "1\tsleep\tsleep\tVERB\tVBP\t_\t0\troot\t0:root\tSpaceAfter=No",
  ]);
});

test("what is typed behind a sentence of a file belongs to it or not as the parser has it", () => {
  const desk = new Desk(CATS).replace("sleep.", "sleep. Yes");
  const line = desk.text.split("\n")[0]!;
  const apart = [parsedAs("Old cats sleep."), parsedAs("Yes", 16, 1)];
  assert.deepEqual(
    desk.blocks(apart).map((lines) => lines.filter((one) => one.startsWith("# text"))[0]),
    ["# text = Old cats sleep.", "# text = Yes", "# text = I cannot go"],
  );
  assert.deepEqual(
    desk.blocks([parsedAs(line)]).map((lines) => lines.filter((one) => one.startsWith("# text"))[0]),
    ["# text = Old cats sleep. Yes", "# text = I cannot go"],
  );
});

test("a sentence that the parser parts, but the file does not, stays one while it is edited", () => {
  const file = [
    "# text = Ja. Nein",
    row("1", "Ja", "0", "root", "SpaceAfter=No"),
    row("2", ".", "1", "punct"),
    row("3", "Nein", "1", "conj"),
    "",
    "",
  ];
  const desk = new Desk(file.join("\n")).replace("Nein", "Nein !");
  const rows = desk.blocks([parsedAs("Ja."), parsedAs("Nein !", 4, 1)])[0]!.slice(1);
  assert.deepEqual(
    rows.map((line) => line.split("\t").slice(6, 8).join(" ")),
    ["0 root", "1 punct", "1 conj", "1 parataxis"],
  );
});

test("a sentence of a file is drawn as it is saved", () => {
  const desk = new Desk(CATS);
  const drawn = () => annotatedAt(desk.text, parsedLines(desk.text), desk.annotations, 0)!;
  const heads = () => drawn().tree.analysis.words.map(({ form, head }) => [form, head].join(" "));
  assert.ok(drawn().asOpened);
  assert.deepEqual(heads(), ["Old 2", "cats 3", "sleep 0", ". 3"]);
  desk.replace("sleep", "often sleep");
  assert.ok(drawn().isEdited);
  assert.deepEqual(heads(), ["Old 2", "cats 4", "often 2", "sleep 0", ". 4"]);
  assert.equal(drawn().conllu(), desk.blocks()[0]!.join("\n") + "\n\n");
});

test("new words are saved with the lemmas and XPOS that the parser has, and the file's are drawn", () => {
  const desk = new Desk(CATS).replace("Old cats", "Big cats");
  const [first, ...others] = parsedLines(desk.text);
  const words = first!.analysis.words.map((word) => ({ ...word, lemma: word.form.toLowerCase(), xpos: "P" }));
  const parsed = [{ ...first!, analysis: { ...first!.analysis, words } }, ...others];
  assert.deepEqual(
    desk
      .blocks(parsed)[0]!
      .filter((line) => line.includes("\t"))
      .slice(0, 2)
      .map((line) => line.split("\t").slice(1, 5)),
    [
      ["Big", "big", "X", "P"],
      ["cats", "cat", "NOUN", "NNS"],
    ],
  );
  const { tree } = annotatedAt(desk.text, parsed, desk.annotations, 0)!;
  assert.deepEqual(
    tree.analysis.words.slice(0, 2).map(({ lemma, xpos }) => [lemma, xpos]),
    [
      ["big", "P"],
      ["cat", "NNS"],
    ],
  );
});

test("words that stand at one place are saved under a range", () => {
  const word = (form: string, head: number): WordView => {
    return { form, start: 0, end: 3, tag: "X", features: "_", head, label: head ? "case" : "root" };
  };
  const words = [word("zu", 3), word("dem", 3), { ...word("See", 0), start: 4, end: 7 }];
  const sentence = placeAnalysis(analysisOf("zum See", 1, { words }));
  const { contents } = savedConllu("zum See", [sentence], FileAnnotations.NONE);
  assert.deepEqual(
    contents.split("\n").map((line) => line.split("\t").slice(0, 2).join(" ")),
    ["# text = zum See", "1-2 zum", "1 zu", "2 dem", "3 See", "", ""],
  );
});

test("faults of heads are told with their lines, and only trees can be practised", () => {
  const fileOf = (...heads: string[]) =>
    heads.map((head, place) => row(`${place + 1}`, "abc"[place]!, head)).join("\n");
  const faultIn = (...heads: string[]) => conlluFile("a.conllu", `# x\n${fileOf(...heads)}\n`).sentences[0]!;
  assert.equal(faultIn("2", "0", "_").fault, "");
  assert.equal(faultIn("2", "0", "99").fault, 'line 4: the head of "c" is 99, but the sentence has 3 words');
  assert.equal(faultIn("2", "3", "2").fault, 'line 3: the heads of "b" and "c" go round in a circle');
  assert.equal(faultIn("1", "0", "2").fault, 'line 2: "a" is its own head');
  assert.equal(faultIn("0", "0", "2").fault, 'line 3: "a" and "b" are 2 roots, and a tree has one');
  assert.deepEqual(
    [faultIn("0", "0", "2"), faultIn("2", "3", "2")].map(({ obstacle }) => obstacle !== undefined),
    [false, true],
  );
});

test("a text is CoNLL-U if its beginning has ten columns with numbers that go up", () => {
  const range = row("1-2", "cannot");
  const words = [row("1", "can", "0"), row("2", "not", "1"), row("2.1", "go")];
  const long = Array.from({ length: 2000 }, () => [...words, ""]).flat();
  const are = [words, ["\uFEFF# id", range, ...words], [...words, "", "# next", ...words, ""], long];
  for (const lines of are) assert.ok(isConllu(lines.join("\n")) && isConllu(lines.join("\r\n")), lines[0]);
  const not = [
    ["A word."],
    ["# Heading", "", ""],
    ["1\tCats\tcat"],
    [row("2", "not", "1")],
    [words[0]!, row("3", "go", "1")],
    [row("1", "can", "root")],
    [...words, "and so on"],
  ];
  for (const lines of not) assert.equal(isConllu(lines.join("\n")), false, lines.join("|"));
});
