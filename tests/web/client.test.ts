import assert from "node:assert/strict";
import test from "node:test";
import {
  toldConflicts,
  TreewhileClient,
  type AnalysisMessage,
  type ClientDocument,
} from "../../web/source/client/index.ts";
import { analysisOf, deltaOf, FakeServer, sentencesOf, stepsOf, WELCOME } from "./fake_server.ts";

function opened(text = ""): { server: FakeServer; client: TreewhileClient; document: ClientDocument } {
  const server = new FakeServer();
  const client = new TreewhileClient("ws://here", {}, server);
  const document = client.open("letter", text);
  client.connect();
  server.welcome();
  return { server, client, document };
}

/** What is known of a document: each word where it stands in the present text. */
function standing(document: ClientDocument): string[] {
  return document.sentences.flatMap((sentence) =>
    sentence.words.map((word) => document.text.slice(sentence.from + word.from, sentence.from + word.to)),
  );
}

test("a document is opened with its text once the server has said welcome", () => {
  const { server } = opened("A dog");
  const [hello, , open] = server.socket.sent;
  assert.equal(hello?.type, "hello");
  assert.deepEqual([open?.type, open?.text, open?.version, open?.positions], ["open", "A dog", 1, "utf16"]);
});

test("a document of given words is opened with its words, also when it is opened again", () => {
  const server = new FakeServer();
  const client = new TreewhileClient("ws://here", {}, server);
  client.openWords("practice", ["A", "dog", "."]);
  client.connect();
  server.welcome();
  client.connect();
  server.welcome();
  const opens = server.socket.all("open");
  assert.ok(opens.length >= 1);
  for (const { words, text } of opens) assert.deepEqual([words, text], [["A", "dog", "."], undefined]);
});

test("edits made before the connection is open are part of the text it opens with", () => {
  const server = new FakeServer();
  const client = new TreewhileClient("ws://here", {}, server);
  const document = client.open("letter", "A dog");
  client.connect();
  document.edit(5, 5, " barks");
  server.welcome();
  assert.deepEqual(
    server.socket.all("open").map((open) => open.text),
    ["A dog barks"],
  );
  assert.deepEqual(server.socket.all("edit"), []);
});

test("a sentence that has ended before the connection is open has ended once it is, and after every loss", () => {
  const server = new FakeServer();
  const client = new TreewhileClient("ws://here", {}, server);
  const document = client.open("letter", "A dog barks");
  document.finish();
  for (const _ of [1, 2]) {
    client.connect();
    server.welcome();
    const [open, finish, ...more] = server.socket.sent.filter(({ document }) => document);
    assert.deepEqual([open?.type, open?.text, finish?.type, more], ["open", "A dog barks", "finish", []]);
    assert.ok(finish!.version > open!.version);
  }
});

test("a text that is edited after its end is open again", () => {
  const server = new FakeServer();
  const client = new TreewhileClient("ws://here", {}, server);
  const document = client.open("letter", "A dog barks");
  document.finish();
  document.edit(11, 11, " at");
  client.connect();
  server.welcome();
  assert.deepEqual(server.socket.all("finish"), []);
});

test("a text that is too long is opened no second time because its end is refused, too", () => {
  const server = new FakeServer();
  const client = new TreewhileClient("ws://here", {}, server);
  const document = client.open("letter", "A dog barks");
  document.finish();
  client.connect();
  server.welcome();
  const refusal = { type: "error", document: "letter", message: "no", temporary: false };
  const [{ version: opened }] = server.socket.all("open") as [{ version: number }];
  const [{ version: finished }] = server.socket.all("finish") as [{ version: number }];
  server.socket.say({ ...refusal, code: "too_much", version: opened });
  server.socket.say({ ...refusal, code: "unknown_document", version: finished });
  assert.equal(server.socket.all("open").length, 1);
});

test("edits are sent one by one, with growing versions, where they are answered", () => {
  const { server, document } = opened("A dog");
  document.edit(5, 5, "s");
  server.socket.say(analysisOf("A dogs", 2));
  document.edit(0, 1, "Two");
  const edits = server.socket.all("edit").map(({ version, start, end, text }) => [version, start, end, text]);
  assert.deepEqual(edits, [
    [2, 5, 5, "s"],
    [3, 0, 1, "Two"],
  ]);
  assert.equal(document.text, "Two dogs");
});

test("what is typed while an edit is unanswered is sent as one, once that is answered, and each letter has its time", () => {
  const { server, document } = opened("A");
  const told: [number, number][] = [];
  server.socket.say(analysisOf("A", 1));
  document.answered.listen(({ version, milliseconds }) => told.push([version, milliseconds]));
  for (const letter of " dog") {
    document.edit(document.text.length, document.text.length, letter);
    server.clock.go(100);
  }
  const edits = () => server.socket.all("edit").map(({ version, start, end, text }) => [version, start, end, text]);
  assert.deepEqual(edits(), [[2, 1, 1, " "]]);
  server.socket.say(analysisOf("A", 2));
  assert.deepEqual(edits().slice(1), [[5, 2, 2, "dog"]]);
  server.clock.go(100);
  server.socket.say(analysisOf("A dog", 5));
  assert.deepEqual(standing(document), ["A", "dog"]);
  assert.deepEqual(told, [
    [2, 400],
    [3, 400],
    [4, 300],
    [5, 200],
  ]);
});

test("edits at different places wait in their order, and a request or the end of the text takes them along", () => {
  const asks = (document: ClientDocument) => document.request(0, { type: "ask_steps" });
  for (const [flush, last] of [[asks, 4] as const, [(document: ClientDocument) => document.finish(), 5] as const]) {
    const { server, document } = opened("one two three");
    document.edit(0, 0, "x");
    document.edit(14, 14, "y");
    document.edit(5, 5, "z");
    assert.equal(server.socket.all("edit").length, 1);
    flush(document);
    const sent = server.socket.sent.slice(3).map(({ type, version }) => [type, version]);
    const [type] = sent.at(-1)!;
    assert.deepEqual(sent.slice(0, -1), [
      ["edit", 2],
      ["edit", 3],
      ["edit", 4],
    ]);
    assert.deepEqual(sent.at(-1), [type, last]);
  }
});

test("margins that were asked about are told", () => {
  const { server, document } = opened("A dog");
  const told: unknown[] = [];
  document.margins.listen(({ sentence, arcs }) => told.push([sentence, arcs.map(({ word, rival }) => [word, rival])]));
  document.request(0, { type: "ask_margins", words: [1] });
  const [{ sentence, words }] = server.socket.all("ask_margins") as [Record<string, unknown>];
  assert.deepEqual([sentence, words], [0, [1]]);
  const arc = { word: 1, head: 2, label: "det", margin: 3.5, rival: { head: 0, label: "root" } };
  server.socket.say({ type: "margins", document: "letter", version: 1, sentence: 0, arcs: [arc] });
  assert.deepEqual(told, [[0, [[1, { head: 0, label: "root" }]]]]);
});

test("an error about the edit that was waited for lets the others go", () => {
  const { server, document } = opened("A");
  document.edit(1, 1, " ");
  document.edit(2, 2, "dog");
  server.socket.say({ type: "error", code: "failed", message: "", document: "letter", version: 2 });
  assert.deepEqual(
    server.socket.all("edit").map(({ version }) => version),
    [2, 3],
  );
});

test("another text is sent as the smallest edit that makes it", () => {
  const { server, document } = opened("one two three");
  document.replaceText("one too three");
  const [{ start, end, text }] = server.socket.all("edit") as [Record<string, unknown>];
  assert.deepEqual([start, end, text], [5, 6, "o"]);
});

test("an analysis of an older text stands at the right place in the present one", () => {
  const { server, document } = opened("A dog");
  document.edit(0, 0, "Now: ");
  server.socket.say(analysisOf("A dog", 1));
  assert.deepEqual(standing(document), ["A", "dog"]);
  assert.equal(document.sentences[0]?.from, 5);
});

test("words that are deleted before their analysis comes are dropped", () => {
  const { server, document } = opened("A big dog");
  document.edit(2, 6, "");
  server.socket.say(analysisOf("A big dog", 1));
  assert.deepEqual(standing(document), ["A", "dog"]);
  assert.deepEqual(
    document.sentences[0]?.words.map((word) => word.number),
    [1, 3],
  );
  assert.equal(document.sentences[0]?.isTouched, true);
});

test("an analysis of a version older than the newest one is not taken", () => {
  const { server, document } = opened("A dog");
  document.edit(5, 5, " barks");
  server.socket.say(analysisOf("A dog barks", 2));
  server.socket.say(analysisOf("A dog", 1));
  assert.deepEqual(standing(document), ["A", "dog", "barks"]);
});

test("a delta changes the analysis that it names", () => {
  const { server, document } = opened("A dog");
  const base = analysisOf("A dog", 1);
  server.socket.say(base);
  document.edit(5, 5, " barks");
  server.socket.say(deltaOf(base, "A dog barks", 2));
  assert.deepEqual(standing(document), ["A", "dog", "barks"]);
});

test("a delta of an unknown analysis is asked for in full, once", () => {
  const { server, document } = opened("A dog barks");
  const unknown = analysisOf("A dog", 1);
  server.socket.say(deltaOf(unknown, "A dog barks", 1));
  server.socket.say(deltaOf(unknown, "A dog barks", 1));
  assert.equal(server.socket.all("ask_analyses").length, 1);
  assert.deepEqual(document.sentences, []);
});

test("words keep their ids while words are put between them", () => {
  const { server, document } = opened("A dog barks");
  server.socket.say(analysisOf("A dog barks", 1));
  const ids = () => document.sentences[0]!.words.map((word) => word.id);
  const [first, second, third] = ids();
  document.edit(2, 2, "big ");
  server.socket.say(analysisOf("A big dog barks", 2));
  const after = ids();
  assert.deepEqual([after[0], after[2], after[3]], [first, second, third]);
  assert.equal(new Set(after).size, 4);
});

test("words keep their ids when one sentence becomes two", () => {
  const { server, document } = opened("Go We come");
  server.socket.say(analysisOf("Go We come", 1));
  const before = document.sentences[0]!.words.map((word) => word.id);
  document.edit(2, 2, ".");
  server.socket.say(sentencesOf(2, 1, 0, 1, 2));
  server.socket.say(analysisOf("Go.", 2));
  server.socket.say(analysisOf("We come", 2, { sentence: 1, start: 4 }));
  assert.deepEqual(standing(document), ["Go.", "We", "come"]);
  assert.equal(document.sentences[0]!.words[0]!.id, before[0]);
});

test("sentences that come and go shift the others", () => {
  const { server, document } = opened("One. Two. Three.");
  server.socket.say(sentencesOf(1, 0, 0, 3, 3));
  ["One.", "Two.", "Three."].forEach((text, sentence) =>
    server.socket.say(analysisOf(text, 1, { sentence, start: sentence * 5 })),
  );
  document.edit(5, 10, "");
  server.socket.say(sentencesOf(2, 1, 1, 0, 2));
  assert.deepEqual(standing(document), ["One.", "Three."]);
  assert.equal(document.numberOf(document.sentences[1]!), 1);
});

test("the latency of each version is told once", () => {
  const { server, document } = opened("A");
  const told: [number, number][] = [];
  document.answered.listen(({ version, milliseconds }) => told.push([version, milliseconds]));
  server.clock.go(10);
  document.edit(1, 1, " dog");
  server.clock.go(5);
  server.socket.say(analysisOf("A dog", 2, { answers: [1, 2] }));
  server.socket.say(analysisOf("A dog", 2, { answers: [2] }));
  assert.deepEqual(told, [
    [1, 15],
    [2, 5],
  ]);
});

test("text that is replaced by the same text is not edited, and its words stay", () => {
  const { server, document } = opened("The dog barks");
  server.socket.say(analysisOf("The dog barks", 1));
  document.edit(4, 7, "dog");
  document.edit(0, 13, "The dog barks");
  document.edit(4, 7, "dogs");
  assert.deepEqual(
    server.socket.all("edit").map(({ version, start, end, text }) => [version, start, end, text]),
    [[2, 7, 7, "s"]],
  );
  assert.deepEqual(standing(document), ["The", "dog", "barks"]);
});

test("sentences that an edit has moved stand where they are, and know it", () => {
  const { server, document } = opened("Go. We come");
  server.socket.say(sentencesOf(1, 0, 0, 2, 2));
  server.socket.say(analysisOf("Go.", 1));
  server.socket.say(analysisOf("We come", 1, { sentence: 1, start: 4, first_word: 2 }));
  document.edit(3, 3, "  ");
  server.socket.say({ type: "moved", document: "letter", version: 2, sentence: 1, words: 0, units: 2 });
  const [first, second] = document.sentences;
  assert.deepEqual([first?.analysis.start, second?.analysis.start, second?.analysis.first_word], [0, 6, 2]);
  assert.deepEqual(standing(document), ["Go.", "We", "come"]);
  assert.equal(document.isCurrent, true);
});

test("an edit from one emoji to another is of whole characters, though they begin alike", () => {
  const { server, document } = opened("a\u{1F389}b");
  document.replaceText("a\u{1F38A}b");
  const [{ start, end, text }] = server.socket.all("edit") as [Record<string, unknown>];
  assert.deepEqual([start, end, text], [1, 3, "\u{1F38A}"]);
});

test("control characters never go over the wire, and take no places away", () => {
  const { server, document } = opened("a\0b");
  document.edit(3, 3, "\u0007\tc\vd\u009F");
  assert.equal(server.socket.all("open")[0]?.text, "a\uFFFDb");
  assert.equal(server.socket.all("edit")[0]?.text, "\uFFFD\tc\vd\uFFFD");
});

test("half a surrogate pair never goes over the wire", () => {
  const { server, document } = opened("a🎉b");
  document.edit(1, 2, "");
  server.socket.say(analysisOf("a\uFFFDb", 2));
  document.edit(1, 1, "\uD83C");
  const [first, second] = server.socket.all("edit").map(({ start, end, text }) => [start, end, text]);
  assert.deepEqual(first, [1, 3, "\uFFFD"]);
  assert.deepEqual(second, [1, 2, "🎉"]);
  assert.equal(document.text, "a🎉b");
});

// --- conflicts that stay ---------------------------------------------------------------------------------

/** A settled analysis with conflicts of the words with these numbers, each named by its words. */
function judged(text: string, version: number, numbers: readonly number[][], more: Partial<AnalysisMessage> = {}) {
  const forms = text.split(" ");
  const conflicts = numbers.map((words) => {
    return { constraint: "c", penalty: 0.1, words, message: words.map((number) => forms[number - 1]).join("-") };
  });
  return analysisOf(text, version, { conflicts, stage: "settled", levels: ["L0", "L1", "L2"], ...more });
}

/** The conflicts of a document's sentences, and the words that they are at now. */
function conflictsShown(document: ClientDocument): string[] {
  return document.sentences.flatMap((sentence) =>
    toldConflicts(sentence).map(({ message, words }) => {
      return `${message}: ${words.map((number) => sentence.analysis.words[number - 1]?.form).join("-")}`;
    }),
  );
}

test("conflicts stay at their words until constraints are looked at again", () => {
  const { server, document } = opened("Dogs cats bark");
  server.socket.say(judged("Dogs cats bark", 1, [[1, 2], [3]]));
  document.edit(4, 4, " and");
  const text = "Dogs and cats bark";
  const first = analysisOf(text, 2);
  server.socket.say(first);
  assert.deepEqual(conflictsShown(document), ["Dogs-cats: Dogs-cats", "bark: bark"]);
  server.socket.say({ ...deltaOf(first, text, 2), stage: "improved", levels: ["L0", "L1"] });
  assert.deepEqual(conflictsShown(document), ["Dogs-cats: Dogs-cats", "bark: bark"]);
  server.socket.say(judged(text, 2, [[4]], { stage: "improved" }));
  assert.deepEqual(conflictsShown(document), ["bark: bark"]);
});

test("conflicts of words that are gone or changed do not stay, nor do they come back", () => {
  const { server, document } = opened("Dogs cats bark at us");
  server.socket.say(judged("Dogs cats bark at us", 1, [[1, 2], [2, 3], [4, 5], [3]]));
  document.edit(0, 5, "");
  document.edit(10, 12, "in");
  server.socket.say(analysisOf("cats bark in us", 3));
  assert.deepEqual(conflictsShown(document), ["cats-bark: cats-bark", "bark: bark"]);
  document.edit(10, 12, "at");
  document.edit(9, 9, "s");
  server.socket.say(analysisOf("cats barks at us", 5));
  assert.deepEqual(conflictsShown(document), []);
});

test("a word that is deleted before the analysis comes takes its conflicts along", () => {
  const { server, document } = opened("Dogs cats bark");
  server.socket.say(judged("Dogs cats bark", 1, [[1, 2], [3]]));
  document.edit(14, 14, " now");
  document.edit(0, 5, "");
  server.socket.say(analysisOf("Dogs cats bark now", 2));
  assert.deepEqual(conflictsShown(document), ["bark: bark"]);
});

const LAST_WORDS: [string, Partial<AnalysisMessage>][] = [
  ["the level is switched off", { stage: "settled", levels: ["L0", "L1"] }],
  ["the sentence has ended without it", { stage: "final", levels: ["L0"] }],
  ["time has run out for it", { stage: "improved", levels: ["L0", "L1"], cut_short: true }],
];
for (const [reason, last] of LAST_WORDS)
  test(`no conflict stays for ever where ${reason}`, () => {
    const { server, document } = opened("Dogs cats bark");
    server.socket.say(judged("Dogs cats bark", 1, [[1, 2]]));
    server.socket.say(analysisOf("Dogs cats bark", 1));
    assert.deepEqual(conflictsShown(document), ["Dogs-cats: Dogs-cats"]);
    server.socket.say(analysisOf("Dogs cats bark", 1, last));
    assert.deepEqual(conflictsShown(document), []);
  });

test("conflicts stay with their words when one sentence becomes two, but for those of words in both", () => {
  const { server, document } = opened("Go go We we");
  server.socket.say(
    judged("Go go We we", 1, [
      [1, 2],
      [2, 3],
      [3, 4],
    ]),
  );
  document.edit(5, 5, " .");
  server.socket.say(sentencesOf(2, 0, 1, 2, 2));
  server.socket.say(analysisOf("Go go .", 2));
  server.socket.say(analysisOf("We we", 2, { sentence: 1, start: 8 }));
  assert.deepEqual(conflictsShown(document), ["Go-go: Go-go", "We-we: We-we"]);
});

test("what was last found of a word is what stays, also where sentences come and go faster than analyses", () => {
  const { server, document } = opened("Go go");
  server.socket.say(judged("Go go", 1, [[1, 2]]));
  document.edit(5, 5, " We");
  server.socket.say(sentencesOf(2, 0, 1, 2, 2));
  server.socket.say(judged("Go go", 2, [[2]]));
  document.edit(5, 8, "");
  server.socket.say(sentencesOf(3, 0, 2, 2, 2));
  server.socket.say(analysisOf("Go go", 3));
  assert.deepEqual(conflictsShown(document), ["go: go"]);
});

test("conflicts stay through a loss of everything", () => {
  const { server, document } = opened("Dogs cats bark");
  server.socket.say(judged("Dogs cats bark", 1, [[1, 2]]));
  server.lose();
  server.clock.go(1000);
  server.welcome();
  server.socket.say(sentencesOf(2, 0, 0, 1, 1));
  server.socket.say(analysisOf("Dogs cats bark", 2));
  assert.deepEqual(conflictsShown(document), ["Dogs-cats: Dogs-cats"]);
});

// --- losses -----------------------------------------------------------------------------------------------

test("after a loss the client comes back, later each time", () => {
  const { server, client } = opened();
  server.lose();
  assert.equal(client.status.state, "waiting");
  const waits = [client.status.wait];
  for (let attempt = 0; attempt < 3; attempt++) {
    server.clock.go(client.status.wait);
    server.lose();
    waits.push(client.status.wait);
  }
  assert.deepEqual(waits, [125, 250, 500, 1000]);
});

test("the server says after how long to come back", () => {
  const { server, client } = opened();
  server.socket.say({ type: "goodbye", code: 1013, reason: "too much to do", temporary: true, retry_after: 7 });
  server.lose(1013);
  assert.equal(client.status.wait, 7125);
});

test("a terminal code ends all attempts, and says why", () => {
  const { server, client } = opened();
  server.lose(4403, "pages of this origin may not connect");
  assert.deepEqual([client.status.state, client.status.reason], ["refused", "pages of this origin may not connect"]);
  server.clock.go(1e6);
  assert.equal(server.sockets.length, 1);
});

test("a session that is resumed gets exactly the edits that it has missed", () => {
  const { server, document } = opened("A");
  document.edit(1, 1, " dog");
  server.lose();
  document.edit(5, 5, " barks");
  server.clock.go(1000);
  server.welcome({ resumed: true, documents: [{ document: "letter", version: 2 }] });
  assert.deepEqual(
    server.socket.sent.map((frame) => frame.type),
    ["hello", "ping", "edit"],
  );
  assert.equal(server.socket.sent[0]?.resume, "token");
  assert.deepEqual([server.socket.sent[2]?.version, server.socket.sent[2]?.text], [3, " barks"]);
});

test("options that were changed while the server was away are sent when the session is resumed", () => {
  const { server, document } = opened("A");
  document.setOptions({ stability: 0.5 });
  server.lose();
  document.setOptions({ levels: ["L0"], stability: 0.75 });
  document.edit(1, 1, " dog");
  server.clock.go(1000);
  server.welcome({ resumed: true, documents: [{ document: "letter", version: 1 }] });
  assert.deepEqual(
    server.socket.sent.map((frame) => frame.type),
    ["hello", "ping", "edit", "options"],
  );
  assert.deepEqual(server.socket.sent[3]?.options, { stability: 0.75, levels: ["L0"] });
  server.lose();
  server.clock.go(1000);
  server.welcome();
  assert.equal(server.socket.all("open")[0]?.options.stability, 0.75);
  assert.deepEqual(server.socket.all("options"), [], "a document that is opened again is opened with them");
});

test("a session that is not resumed gets the present text, and nothing is lost on the screen", () => {
  const { server, document } = opened("A dog");
  server.socket.say(analysisOf("A dog", 1));
  server.lose();
  document.edit(5, 5, " barks");
  server.clock.go(1000);
  server.welcome();
  const [open] = server.socket.all("open");
  assert.deepEqual([open?.text, open?.version], ["A dog barks", 3]);
  assert.deepEqual(standing(document), ["A", "dog"]);
  const before = document.sentences[0]!.words.map((word) => word.id);
  server.socket.say(sentencesOf(3, 0, 0, 1, 1));
  server.socket.say(analysisOf("A dog barks", 3));
  assert.deepEqual(standing(document), ["A", "dog", "barks"]);
  assert.deepEqual(
    document.sentences[0]!.words.slice(0, 2).map((word) => word.id),
    before,
  );
});

test("a session that has another text than it should is opened again", () => {
  const { server } = opened("A dog");
  server.lose();
  server.clock.go(1000);
  server.welcome({ resumed: true, documents: [{ document: "letter", version: 9 }] });
  assert.deepEqual(
    server.socket.sent.map((frame) => frame.type),
    ["hello", "ping", "close", "open"],
  );
});

test("an edit that the server refuses makes it take the whole text", () => {
  const { server, document } = opened("A dog");
  document.edit(5, 5, "s");
  server.socket.say({ type: "error", code: "out_of_text", message: "", document: "letter", version: 2 });
  assert.deepEqual(
    server.socket.all("open").map((open) => [open.text, open.version]),
    [
      ["A dog", 1],
      ["A dogs", 3],
    ],
  );
});

test("a text that is too long is sent again only when it is shorter", () => {
  const { server, document } = opened("far too long");
  server.socket.say({ type: "error", code: "too_much", message: "", document: "letter", version: 1 });
  document.edit(12, 12, "!");
  assert.equal(server.socket.all("edit").length, 0);
  document.edit(3, 13, "");
  assert.deepEqual(
    server.socket.all("open").map((open) => open.text),
    ["far too long", "far"],
  );
});

test("a text beyond the limits of the server is not sent, and what is known of it stays until it is shorter", () => {
  const { server, document } = opened("A dog");
  server.socket.say(analysisOf("A dog", 1));
  document.edit(5, 5, " barks".repeat(200));
  assert.deepEqual([document.isTooLong, document.isCurrent], [true, false]);
  assert.deepEqual([server.socket.all("edit").length, server.socket.all("close").length], [0, 1]);
  assert.deepEqual(
    document.sentences[0]!.words.map(({ from, to }) => document.text.slice(from, to)),
    ["A", "dog"],
  );
  document.edit(11, document.text.length, "");
  assert.equal(document.isTooLong, false);
  assert.equal(server.socket.all("open").at(-1)!.text, "A dog barks");
  server.socket.say(analysisOf("A dog barks", document.version));
  assert.equal(document.isAnswered, true);
});

test("a server that does not answer is told soon, and left later", () => {
  const { server, client } = opened();
  server.socket.say({ type: "pong", number: 1 });
  server.clock.go(2000);
  assert.deepEqual([client.status.state, client.status.isAlive], ["open", true]);
  server.clock.go(8000);
  assert.equal(server.socket.all("ping").length, 2);
  server.clock.go(2000);
  assert.deepEqual([client.status.state, client.status.isAlive], ["open", false]);
  server.clock.go(10_000);
  assert.equal(client.status.state, "waiting");
  assert.equal(server.socket.isClosed, true);
});

test("a server that answers late after all is there again", () => {
  const { server, client } = opened();
  server.clock.go(2000);
  assert.equal(client.status.isAlive, false);
  server.socket.say({ type: "pong", number: 1 });
  assert.deepEqual([client.status.state, client.status.isAlive, client.status.reason], ["open", true, ""]);
  server.clock.go(10_000);
  assert.equal(client.status.state, "open");
});

test("while somebody types a server is asked whether it is there, every two seconds at most", () => {
  const { server, document } = opened();
  const pings = () => server.socket.all("ping").length;
  server.socket.say({ type: "pong", number: 1 });
  document.edit(0, 0, "A");
  assert.equal(pings(), 1);
  server.clock.go(2000);
  server.clock.go(0);
  assert.equal(pings(), 2);
  server.socket.say({ type: "pong", number: 2 });
  server.clock.go(2000);
  server.socket.say(analysisOf("A", 2));
  document.edit(1, 1, " ");
  server.socket.say(analysisOf("A", 3));
  document.edit(2, 2, "dog");
  assert.equal(pings(), 3);
});

test("a server that is doubted has a second to answer", () => {
  const { server, client } = opened();
  server.socket.say({ type: "pong", number: 1 });
  client.check();
  server.clock.go(1000);
  assert.equal(client.status.isAlive, false);
});

test("a server that is getting ready has more time to answer", () => {
  const { server, client } = opened();
  server.socket.say({ type: "readiness", levels: [], share: 0, waits_for: "The parser is compiled." });
  server.clock.go(2000);
  server.clock.go(8000);
  assert.deepEqual([client.status.state, client.status.isAlive], ["open", true]);
  server.clock.go(15_000);
  assert.deepEqual([client.status.state, client.status.isAlive], ["open", false]);
});

test("a client whose model is gone takes the server's first one", () => {
  const server = new FakeServer();
  const client = new TreewhileClient("ws://here", { model: "af", token: "secret" }, server);
  client.connect();
  server.socket.onopen?.();
  server.socket.say({ type: "error", code: "unsupported", message: "there is no model 'af'" });
  const [first, second] = server.socket.all("hello");
  assert.deepEqual([first?.model, second?.model, second?.token], ["af", undefined, "secret"]);
  server.socket.say({ ...WELCOME });
  assert.equal(client.status.state, "open");
});

test("a document is parsed by another model from the beginning, with its text and its options", () => {
  const { server, document } = opened();
  const before = document.text;
  document.setOptions({ stability: 0.5 });
  document.useModel("af");
  document.useModel("af");
  const [first, second] = server.socket.all("open");
  assert.deepEqual([server.socket.all("open").length, server.socket.all("close").length], [2, 1]);
  assert.deepEqual([first?.options.model, second?.options.model, second?.options.stability], [undefined, "af", 0.5]);
  assert.deepEqual([second?.text, document.model, document.isCurrent], [before, "af", false]);
  assert.ok(second?.version > first?.version);
  assert.equal(server.sockets.length, 1);
});

test("a document whose model is gone takes that of the session", () => {
  const { server, document } = opened();
  document.useModel("af");
  const { version } = server.socket.all("open")[1]!;
  const refused = { type: "error", code: "unsupported", message: "there is no model 'af'" };
  server.socket.say({ ...refused, document: document.name, version });
  assert.equal(document.model, null);
  assert.equal(server.socket.all("open")[2]?.options.model, undefined);
});

test("what a server still waits for is known until all is ready, and while it is not, the client comes back", () => {
  const { server, client } = opened();
  const told: (string | undefined)[] = [];
  client.readinessChanged.listen((readiness) => told.push(readiness?.waits_for));
  server.socket.say({ type: "readiness", levels: ["L0"], share: 0.4, waits_for: "the search is being compiled" });
  assert.deepEqual([client.readiness?.levels, client.readiness?.share], [["L0"], 0.4]);
  server.socket.say({ type: "readiness", levels: ["L0", "L1", "L2"], share: 1, waits_for: "" });
  assert.equal(client.readiness, null);
  assert.deepEqual(told, ["the search is being compiled", undefined]);
  server.lose(1013, "the server is not ready yet");
  assert.deepEqual([client.status.state, client.status.reason], ["waiting", "the server is not ready yet"]);
});

test("a random text with random edits and late answers never has a word at a wrong place", () => {
  let state = 7;
  const below = (limit: number) => (state = (state * 48271) % 2147483647) % limit;
  for (let round = 0; round < 200; round++) {
    const { server, document } = opened("one two three four five");
    const texts = [document.text];
    for (let turn = 0; turn < 8; turn++) {
      const from = below(document.text.length + 1);
      const to = Math.min(document.text.length, from + below(5));
      document.edit(from, to, ["", " ", "x", " six "][below(4)]!);
      texts[document.version - 1] = document.text;
    }
    const version = 1 + below(texts.length);
    server.socket.say(analysisOf(texts[version - 1]!, version));
    const sentence = document.sentences[0]!;
    sentence.words.forEach((word, index) => {
      assert.ok(word.from < word.to && sentence.from + word.to <= document.text.length);
      assert.ok(index === 0 || sentence.words[index - 1]!.to <= word.from);
    });
    if (version === texts.length) assert.deepEqual(standing(document), document.text.match(/\S+/g) ?? []);
  }
});

// --- gold heads and steps by hand -------------------------------------------------------------------------

/** A server that has lost everything has the text of a document again; what it was asked for since. */
function lostAndFound(server: FakeServer, text: string, version: number): () => (string | undefined)[] {
  server.lose();
  server.clock.go(1000);
  server.welcome();
  server.socket.say(sentencesOf(version, 0, 0, 1, 1));
  server.socket.say(analysisOf(text, version));
  const isRequest = (type: string) => ["gold", "ask_steps", "undo", "step"].includes(type);
  return () => server.socket.sent.filter(({ type }) => isRequest(type)).map(({ type, step }) => step ?? type);
}

test("a server that has lost the gold heads is told again, and what it says is news once it knows them", () => {
  const { server, document } = opened("A dog");
  const told: string[] = [];
  document.steps.listen(({ reference }) => told.push(reference));
  server.socket.say(analysisOf("A dog", 1));
  document.request(0, { type: "gold", heads: [2, 0] });
  server.socket.say(stepsOf(1, [0], 1, 2, { reference: "gold" }));
  const asked = lostAndFound(server, "A dog", 2);
  server.socket.say(stepsOf(2, [0], 1, 2));
  assert.deepEqual(server.socket.all("gold")[0]?.heads, [2, 0]);
  server.socket.say(stepsOf(2, [0], 1, 2, { reference: "gold" }));
  assert.deepEqual([asked(), told], [["gold"], ["gold", "gold"]]);
});

test("steps by hand are made again from where they began, and only the last answer is news", () => {
  const { server, document } = opened("A dog barks");
  const told: number[][] = [];
  document.steps.listen(({ stack }) => told.push([...stack]));
  server.socket.say(analysisOf("A dog barks", 1));
  server.socket.say(stepsOf(1, [0, 1], 2, 3));
  server.socket.say(stepsOf(1, [0, 1, 2], 3, 3, { by_hand: true }));
  server.socket.say(stepsOf(1, [0, 2], 3, 3, { by_hand: true }));
  const asked = lostAndFound(server, "A dog barks", 2);
  server.socket.say(stepsOf(2, [0, 1, 2], 3, 3));
  server.socket.say(stepsOf(2, [0, 1, 2], 3, 3));
  assert.deepEqual(asked(), ["ask_steps", "undo"]);
  for (const [stack, front] of [[[0, 1], 2] as const, [[0, 1, 2], 3] as const, [[0, 2], 3] as const])
    server.socket.say(stepsOf(2, stack, front, 3, { by_hand: true }));
  assert.deepEqual(asked(), ["ask_steps", "undo", "shift", "reduce_right"]);
  assert.deepEqual(told, [
    [0, 1],
    [0, 1, 2],
    [0, 2],
    [0, 2],
  ]);
});

test("steps by hand are not made again where the parser's own steps are others, or words have changed", () => {
  for (const text of ["A dog barks", "A cat barks"]) {
    const { server, document } = opened("A dog barks");
    server.socket.say(analysisOf("A dog barks", 1));
    server.socket.say(stepsOf(1, [0, 1], 2, 3));
    server.socket.say(stepsOf(1, [0, 1, 2], 3, 3, { by_hand: true }));
    server.lose();
    document.replaceText(text);
    const asked = lostAndFound(server, text, document.version + 1);
    server.socket.say(stepsOf(document.version, [0], 1, 3));
    assert.deepEqual(asked(), ["ask_steps"].slice(text === "A dog barks" ? 0 : 1));
  }
});

test("steps by hand are made again up to the first one that takes a word that has changed", () => {
  const { server, document } = opened("A dog barks");
  server.socket.say(analysisOf("A dog barks", 1));
  server.socket.say(stepsOf(1, [0, 1], 2, 3));
  for (const [stack, front] of [[[0, 1, 2], 3] as const, [[0, 2], 3] as const, [[0, 2, 3], 4] as const])
    server.socket.say(stepsOf(1, stack, front, 3, { by_hand: true }));
  document.replaceText("A dog sleeps");
  server.socket.say(analysisOf("A dog sleeps", 2));
  const asked = lostAndFound(server, "A dog sleeps", 3);
  server.socket.say(stepsOf(3, [0, 1], 2, 3));
  assert.deepEqual(asked(), ["ask_steps", "shift", "reduce_right"]);
});

test("gold heads follow their sentence, and those behind a word that was changed offline are unknown", () => {
  const { server, document } = opened("Go! A dog barks");
  server.socket.say(sentencesOf(1, 0, 0, 2, 2));
  server.socket.say(analysisOf("Go!", 1));
  server.socket.say(analysisOf("A dog barks", 1, { sentence: 1, start: 4 }));
  document.request(1, { type: "gold", heads: [2, 3, 0] });
  document.edit(0, 4, "");
  server.socket.say(sentencesOf(2, 0, 1, 0, 1));
  server.lose();
  document.edit(6, 11, "sleeps now");
  lostAndFound(server, "A dog sleeps now", 4);
  const [gold] = server.socket.all("gold");
  assert.deepEqual([gold?.sentence, gold?.heads], [0, [2, null, null, null]]);
});
