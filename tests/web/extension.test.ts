import assert from "node:assert/strict";
import test from "node:test";
import { EditorState } from "@codemirror/state";
import { TreewhileClient } from "../../web/source/client/index.ts";
import { analysesField, changesInOrder, sentencesOf, setSentences } from "../../web/source/extension/analyses_field.ts";
import { conflictsOf, explanationAt } from "../../web/source/extension/explanations.ts";
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
    marks.push([mark.spec.class ?? "ghost", state.doc.sliceString(from, to)]);
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
    sendEdits(document, transaction.changes, () => transaction.newDoc.toString());
    assert.equal(document.text, transaction.newDoc.toString());
  }
});

test("many changes at once go out as one edit", () => {
  const { server, document } = connected("a ".repeat(40));
  const state = EditorState.create({ doc: document.text });
  const changes = Array.from({ length: 40 }, (_, index) => ({ from: 2 * index, to: 2 * index + 1, insert: "b" }));
  const transaction = state.update({ changes });
  sendEdits(document, transaction.changes, () => transaction.newDoc.toString());
  assert.equal(document.text, "b ".repeat(40));
  assert.equal(server.socket.all("edit").length, 1);
});

test("changes are told as they are made, from left to right", () => {
  const changes = EditorState.create({ doc: "abcdef" }).update({
    changes: [
      { from: 1, to: 2 },
      { from: 4, insert: "XY" },
    ],
  }).changes;
  assert.deepEqual(
    changesInOrder(changes).map(({ from, to, text }) => [from, to, text]),
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
  const conflicts = [{ constraint: "one subject", penalty: 0.1, words: [1, 3] }];
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

test("what is expected is shown as a ghost at the end, until the sentence is edited", () => {
  const virtual = [{ node: 1, tag: "NOUN", head: 0, label: "root" }];
  const state = analysed("The big", { stable_upto: 2, virtual });
  assert.deepEqual(marksOf(state), [["ghost", ""]]);
  assert.deepEqual(marksOf(state.update({ changes: { from: 4, to: 5, insert: "p" } }).state), []);
});

test("a word says which constraints it does not meet", () => {
  const conflicts = [{ constraint: "one subject", penalty: 0.1, words: [1, 2] }];
  const state = analysed("Dogs cats bark", { conflicts, stable_upto: 3, stage: "settled" });
  assert.deepEqual(marksOf(state), [
    ["tw-conflict", "Dogs"],
    ["tw-conflict", "cats"],
  ]);
  assert.deepEqual(explanationAt(sentencesOf(state), 6)?.lines, ["one subject (penalty 0.1): Dogs, cats"]);
  assert.equal(explanationAt(sentencesOf(state), 12), null);
});

test("conflicts that stay until constraints are looked at again are marked and told where their words stand now", () => {
  const { server, document } = connected("Dogs cats bark");
  const conflicts = [{ constraint: "one subject", penalty: 0.1, words: [1, 2] }];
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
  assert.deepEqual([conflict, others], [{ line: "one subject (penalty 0.1): Dogs, cats", from: 4, to: 8 }, []]);
  assert.deepEqual(explanationAt(document.sentences, 10)?.lines, [conflict?.line]);
});
