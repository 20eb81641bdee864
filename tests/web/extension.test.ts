import assert from "node:assert/strict";
import test from "node:test";
import { EditorState } from "@codemirror/state";
import { TreewhileClient } from "../../web/source/client/index.ts";
import { analysesField, changesInOrder, sentencesOf, setSentences } from "../../web/source/extension/analyses_field.ts";
import { conflictsOf, explanationAt } from "../../web/source/extension/explanations.ts";
import { cleanInput } from "../../web/source/extension/clean_input.ts";
import { expectedIn } from "../../web/source/extension/expected_words.ts";
import { marksIn } from "../../web/source/extension/marks.ts";
import { sendEdits } from "../../web/source/extension/subscription.ts";
import { analysisOf, FakeServer } from "./fake_server.ts";
import type { AnalysisMessage } from "../../web/source/client/index.ts";

function connected(text: string) {
  const server = new FakeServer();
  const client = new TreewhileClient("ws://here", {}, server);
  const document = client.open("letter", text);
  client.connect();
  server.welcome();
  return { server, document };
}

function analysed(text: string, more: Partial<AnalysisMessage> = {}): EditorState {
  const { server, document } = connected(text);
  server.socket.say(analysisOf(text, 1, more));
  const state = EditorState.create({ doc: text, extensions: analysesField });
  return state.update({ effects: setSentences.of(document.sentences) }).state;
}

function marksOf(state: EditorState): [string, string][] {
  const marks: [string, string][] = [];
  marksIn(state, [{ from: 0, to: state.doc.length }]).between(0, state.doc.length, (from, to, mark) => {
    marks.push([mark.spec.class, state.doc.sliceString(from, to)]);
  });
  return marks;
}

test("the edits of a transaction, one after the other, make the editor's text", () => {
  let seed = 3;
  const below = (limit: number) => (seed = (seed * 48271) % 2147483647) % limit;
  for (let round = 0; round < 200; round++) {
    const { document } = connected("one two\nthree 🎉 four");
    const state = EditorState.create({ doc: document.text });
    const places = Array.from({ length: 6 }, () => below(document.text.length + 1)).sort((a, b) => a - b);
    const changes = [0, 2, 4].map((at) => ({
      from: places[at]!,
      to: places[at + 1]!,
      insert: ["", "x", "\ny"][below(3)]!,
    }));
    const transaction = state.update({ changes });
    sendEdits(document, transaction.changes, state.doc, () => transaction.newDoc.toString());
    assert.equal(document.text, transaction.newDoc.toString());
  }
});

test("many changes at once go out as one edit", () => {
  const { server, document } = connected("a ".repeat(40));
  const state = EditorState.create({ doc: document.text });
  const changes = Array.from({ length: 40 }, (_, index) => ({ from: 2 * index, to: 2 * index + 1, insert: "b" }));
  const transaction = state.update({ changes });
  sendEdits(document, transaction.changes, state.doc, () => transaction.newDoc.toString());
  assert.equal(document.text, "b ".repeat(40));
  assert.equal(server.socket.all("edit").length, 1);
});

test("changes are told as they are made, from left to right", () => {
  const before = EditorState.create({ doc: "abcdef" });
  const { changes } = before.update({
    changes: [
      { from: 1, to: 2 },
      { from: 4, insert: "XY" },
    ],
  });
  assert.deepEqual(
    changesInOrder(changes, before.doc).map(({ from, to, text }) => [from, to, text]),
    [
      [1, 2, ""],
      [3, 3, "XY"],
    ],
  );
});

test("words that are not stable have one mark, from the first to the last, while the text around them changes", () => {
  const state = analysed("A dog barks", { stable_upto: 1 });
  assert.deepEqual(marksOf(state), [["tw-provisional", "dog barks"]]);
  const after = state.update({ changes: { from: 2, insert: "big " } }).state;
  assert.deepEqual(marksOf(after), [["tw-provisional", "dog barks"]]);
});

test("the mark goes around what is typed between its words, not behind them, and ends where a word is gone", () => {
  const state = analysed("A dog barks at us");
  const typed = state.update({
    changes: [
      { from: 6, insert: "always " },
      { from: 17, insert: " now" },
    ],
  }).state;
  assert.deepEqual(marksOf(typed), [["tw-provisional", "A dog always barks at us"]]);
  const cut = state.update({ changes: { from: 5, to: 11 } }).state;
  assert.deepEqual(marksOf(cut), [
    ["tw-provisional", "A dog"],
    ["tw-provisional", "at us"],
  ]);
});

test("a mark of words that are not stable goes around those of their conflicts", () => {
  const conflicts = [{ constraint: "one subject", penalty: 0.1, words: [1, 3], message: "There are two subjects." }];
  const marks = marksOf(analysed("Dogs do bark", { conflicts, levels: ["L0", "L1", "L2"] }));
  assert.deepEqual(marks, [
    ["tw-provisional", "Dogs do bark"],
    ["tw-conflict", "Dogs"],
    ["tw-conflict", "bark"],
  ]);
});

test("undoing an edit leaves every word where it was", () => {
  const state = analysed("A dog barks");
  const typed = state.update({ changes: { from: 5, insert: "gy" } });
  const undone = typed.state.update({ changes: typed.changes.invert(state.doc) }).state;
  const spans = (one: EditorState) =>
    sentencesOf(one).map(({ from, words }) => words.map((word) => [from + word.from, from + word.to]));
  assert.deepEqual(spans(undone), spans(state));
});

/** The tags that are told behind lines, with these lines. */
function expectedOf(state: EditorState): [string, string][] {
  const told: [string, string][] = [];
  expectedIn(state).between(0, state.doc.length, (from, _, mark) => {
    told.push([state.doc.lineAt(from).text, mark.spec.attributes["data-expected"]]);
  });
  return told;
}

const NOUN = [{ node: 1, tag: "NOUN", head: 0, label: "root" }];

test("what is expected is told behind the line of its sentence, until the sentence is edited", () => {
  const state = analysed("The big", { stable_upto: 2, virtual: NOUN });
  assert.deepEqual(marksOf(state), []);
  assert.deepEqual(expectedOf(state), [["The big", "noun"]]);
  assert.deepEqual(expectedOf(state.update({ changes: { from: 4, to: 5, insert: "p" } }).state), []);
});

test("nothing is told where text stands behind a sentence on its line, nor of a whole sentence", () => {
  const behind = analysed("The big", { virtual: NOUN }).update({ changes: { from: 7, insert: " dog" } }).state;
  assert.deepEqual(expectedOf(behind), []);
  assert.deepEqual(expectedOf(analysed("The big", { virtual: NOUN, whole: true })), []);
});

test("text that takes the place of the same text leaves every word where it was", () => {
  const state = analysed("A dog barks");
  const { state: pasted } = state.update({ changes: { from: 2, to: 5, insert: "dog" } });
  const { state: anew } = pasted.update({ changes: { from: 0, to: 11, insert: "A dog barks" } });
  assert.deepEqual(marksOf(anew), [["tw-provisional", "A dog barks"]]);
});

test("a whole sentence has nothing that may still change", () => {
  assert.deepEqual(marksOf(analysed("Dogs bark.", { stage: "settled", whole: true })), []);
});

test("control characters are left out of what is typed or pasted, and the cursor stands behind the rest", () => {
  const state = EditorState.create({ doc: "ab", extensions: cleanInput });
  const typed = state.update({ changes: { from: 1, insert: "x\0\ty\u0007\vz" }, selection: { anchor: 8 } }).state;
  assert.equal(typed.doc.toString(), "ax\ty\nzb");
  assert.equal(typed.selection.main.head, 6);
});

test("conflicts that are not meant for people are neither marked nor told", () => {
  const conflicts = [{ constraint: "near heads are likelier", penalty: 0.2, words: [1, 2], message: "" }];
  const state = analysed("Dogs bark", { conflicts, stable_upto: 2, stage: "settled" });
  assert.deepEqual(marksOf(state), []);
  assert.equal(explanationAt(sentencesOf(state), 1), null);
});

test("a word says what is wrong with it", () => {
  const conflicts = [{ constraint: "one subject", penalty: 0.1, words: [1, 2], message: "There are two subjects." }];
  const state = analysed("Dogs cats bark", { conflicts, stable_upto: 3, stage: "settled" });
  assert.deepEqual(marksOf(state), [
    ["tw-conflict", "Dogs"],
    ["tw-conflict", "cats"],
  ]);
  assert.deepEqual(explanationAt(sentencesOf(state), 6)?.lines, ["There are two subjects."]);
  assert.equal(explanationAt(sentencesOf(state), 12), null);
});

test("conflicts that stay until constraints are looked at again are marked and told where their words stand now", () => {
  const { server, document } = connected("Dogs cats bark");
  const conflicts = [{ constraint: "one subject", penalty: 0.1, words: [1, 2], message: "There are two subjects." }];
  server.socket.say(analysisOf("Dogs cats bark", 1, { conflicts, stable_upto: 3, stage: "settled" }));
  document.edit(0, 0, "Old ");
  server.socket.say(analysisOf("Old Dogs cats bark", 2, { stable_upto: 4 }));
  const empty = EditorState.create({ doc: document.text, extensions: analysesField });
  const state = empty.update({ effects: setSentences.of(document.sentences) }).state;
  assert.deepEqual(marksOf(state), [
    ["tw-conflict", "Dogs"],
    ["tw-conflict", "cats"],
  ]);
  const [conflict, ...others] = conflictsOf(document.sentences[0]!);
  assert.deepEqual([conflict, others], [{ line: "There are two subjects.", from: 4, to: 8 }, []]);
  assert.deepEqual(explanationAt(document.sentences, 10)?.lines, [conflict?.line]);
});
