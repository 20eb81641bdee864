import { EditorState, type TransactionSpec } from "@codemirror/state";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Signal, type ErrorMessage, type PlacedSentence } from "../../web/source/client/index.ts";
import { decisionsIn } from "../../web/source/page/decisions.ts";
import { decisionsOf, followDecisions } from "../../web/source/page/decisions_field.ts";
import { Fixing } from "../../web/source/page/fixing.ts";
import type { Keeper } from "../../web/source/page/keeper.ts";
import type { Page } from "../../web/source/page/page_parts.ts";
import { replayField } from "../../web/source/page/replaying.ts";

const TEXT = "old dog barks";
const KEEPER = { note: () => {}, noteNow: () => {} } as unknown as Keeper;

/** A sentence of three words, of which nothing is fixed. */
function sentence(): PlacedSentence {
  const found = [...TEXT.matchAll(/\S+/g)].map(({ 0: form, index }) => ({ form, index }));
  const words = found.map(({ form, index }, place) => {
    return { id: place + 1, number: place + 1, from: index, to: index + form.length };
  });
  const analysis = { sentence: 0, words: found.map(({ form }) => ({ form, head: 0, label: "x", tag: "X" })) };
  return { from: 0, to: TEXT.length, words, analysis, isTouched: false } as unknown as PlacedSentence;
}

/** What a page has of a server that answers nothing by itself. */
class Parts {
  readonly requests: unknown[] = [];
  readonly client = {
    welcomed: new Signal<unknown>(),
    statusChanged: new Signal<unknown>(),
    status: { isAlive: true },
  };
  readonly document = {
    changed: new Signal<void>(),
    failed: new Signal<ErrorMessage>(),
    reopened: new Signal<void>(),
    isCurrent: true,
    isAnswered: true,
    version: 1,
    sentences: [sentence()],
    numberOf: () => 0,
    request: (_: number, request: unknown) => void this.requests.push(request),
  };
  readonly editor = {
    state: EditorState.create({ doc: TEXT, extensions: [followDecisions([], KEEPER), replayField] }),
    dispatch(spec: TransactionSpec) {
      this.state = this.state.update(spec).state;
    },
  };
  readonly fixing = new Fixing(this as unknown as Page);

  turn(isAlive: boolean): void {
    this.client.status.isAlive = isAlive;
    this.client.statusChanged.emit(this.client.status);
  }

  get decided() {
    return [...decisionsIn(decisionsOf(this.editor.state), this.document.sentences[0]!)];
  }
}

const HEAD = { head: 3, label: null, tag: null };

test("what is being tried when the server is lost is decided, as what is decided without one", async () => {
  const parts = new Parts();
  const [first, second] = [
    parts.fixing.try(parts.document.sentences[0]!, new Map([[1, { head: 3 }]])),
    parts.fixing.try(parts.document.sentences[0]!, new Map([[2, { head: 3 }]])),
  ];
  await new Promise(setImmediate);
  assert.equal(parts.requests.length, 1);
  parts.turn(false);
  assert.deepEqual(await Promise.all([first, second]), [null, null]);
  assert.deepEqual(parts.decided, [
    [1, HEAD],
    [2, HEAD],
  ]);
});

test("what was decided while the server was silent is asked for once it is heard again", async () => {
  const parts = new Parts();
  parts.turn(false);
  assert.equal(await parts.fixing.try(parts.document.sentences[0]!, new Map([[1, { head: 3 }]])), null);
  assert.deepEqual([parts.decided, parts.requests], [[[1, HEAD]], []]);
  parts.turn(true);
  await new Promise(setImmediate);
  assert.deepEqual(parts.requests, [{ type: "fix", heads: { 1: 3 }, labels: {}, tags: {} }]);
});

test("what the server refuses is not decided", async () => {
  const parts = new Parts();
  const tried = parts.fixing.try(parts.document.sentences[0]!, new Map([[1, { head: 3 }]]));
  await new Promise(setImmediate);
  parts.document.failed.emit({ type: "error", code: "bad_fix", message: "no", version: 1 });
  assert.equal(await tried, "no");
  assert.deepEqual(parts.decided, []);
});

test("errors about something else at the same time refuse nothing that is tried", async () => {
  const parts = new Parts();
  const tried = parts.fixing.try(parts.document.sentences[0]!, new Map([[1, { head: 3 }]]));
  await new Promise(setImmediate);
  const error = { type: "error", code: "failed", message: "other", version: 1 } as const;
  parts.document.failed.emit({ ...error, code: "too_much" });
  parts.document.failed.emit({ ...error, sentence: 4 });
  parts.document.failed.emit(error);
  parts.document.failed.emit({ ...error, message: "own", sentence: 0 });
  assert.equal(await tried, "own");
  assert.equal(parts.requests.length, 1);
});

test("whatever the reason, the server refuses what is tried if it says that it is about that", async () => {
  const parts = new Parts();
  const tried = parts.fixing.try(parts.document.sentences[0]!, new Map([[1, { head: 3 }]]));
  await new Promise(setImmediate);
  const error = { type: "error", code: "too_much", message: "too many", version: 1 } as const;
  parts.document.failed.emit({ ...error, sentence: 0 });
  assert.equal(await tried, "too many");
});
