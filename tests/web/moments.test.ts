import assert from "node:assert/strict";
import test from "node:test";
import { TreewhileClient, type AnalysisMessage } from "../../web/source/client/index.ts";
import { animatedSvg } from "../../web/source/moments/animated_svg.ts";
import { arcsChanged, changesBetween } from "../../web/source/moments/moment_changes.ts";
import {
  jsonOf,
  linkOf,
  MOST_BYTES,
  readLink,
  readMoments,
  UnreadableMoments,
  type MomentsFile,
} from "../../web/source/moments/moments_file.ts";
import { momentsOf, type Moment } from "../../web/source/moments/moments.ts";
import { RecordedAnalyses, thinned, type Room } from "../../web/source/page/recorded_analyses.ts";
import { analysisOf, FakeServer, sentencesOf, wordsOf } from "./fake_server.ts";

const WIDE: Room = { analyses: 1000, words: 40_000 };

/** A document whose analyses are recorded, one a second. */
class Watched {
  readonly server = new FakeServer();
  readonly client = new TreewhileClient("ws://here", {}, this.server);
  readonly document = this.client.open("letter", "");
  readonly recorded: RecordedAnalyses;
  private seconds = 0;

  constructor(room: Room = WIDE) {
    this.recorded = new RecordedAnalyses(this.document, () => 1000 * this.seconds++, room);
    this.client.connect();
    this.server.welcome();
  }

  /** The text grows, and its analyses come: a first guess, and better ones. */
  type(text: string, ...analyses: Partial<AnalysisMessage>[]): void {
    this.document.replaceText(text);
    for (const one of [{}, ...analyses]) this.server.socket.say(analysisOf(text, this.document.version, one));
  }

  get moments(): Moment[] {
    return momentsOf(this.recorded.of(this.document.sentences.at(-1)!));
  }
}

function conflict(words: readonly number[], constraint = "one determiner") {
  return { constraint, penalty: 0.5, words, message: `Not *${constraint}*.` };
}

/** The words of a text, of which one hangs elsewhere. */
function hanging(text: string, number: number, head: number | "later", label = "obj", tag = "X") {
  return wordsOf(text).map((word, index) => (index === number - 1 ? { ...word, head, label, tag } : word));
}

const IMPROVED = { stage: "improved", levels: ["L0", "L1"] } as const;

function fileOf(moments: readonly Moment[]): MomentsFile {
  return { model: "en", language: "en", moments };
}

function typed(): Moment[] {
  const watched = new Watched();
  watched.type("The");
  watched.type("The dog", { ...IMPROVED, words: hanging("The dog", 1, 2, "det", "DET") });
  const virtual = [{ node: 1, tag: "NOUN", head: "later", label: "obj" } as const];
  watched.type("The dog barks", {
    ...IMPROVED,
    levels: ["L0", "L1", "L2"],
    words: hanging("The dog barks", 3, -1 as number),
    virtual,
    conflicts: [conflict([1, 2])],
    stable_upto: 1,
  });
  return watched.moments;
}

// --- recording --------------------------------------------------------------------------------------------

test("every analysis is a moment, with its time, level, stage and text", () => {
  const told = typed().map(({ time, level, stage, text }) => [time, level, stage, text]);
  assert.deepEqual(told, [
    [0, "L0", "initial", "The"],
    [1000, "L0", "initial", "The dog"],
    [2000, "L1", "improved", "The dog"],
    [3000, "L0", "initial", "The dog barks"],
    [4000, "L2", "improved", "The dog barks"],
  ]);
});

test("an analysis of a text that was edited meanwhile is a moment of the text as it was", () => {
  const watched = new Watched();
  watched.type("The dog");
  watched.document.replaceText("The cat");
  watched.document.replaceText("The cat sleeps");
  watched.server.socket.say(analysisOf("The cat", watched.document.version - 1));
  assert.deepEqual(watched.moments.at(-1)!.text, "The cat");
});

test("a sentence has its own moments, also when another one has come behind it", () => {
  const watched = new Watched();
  watched.type("One dog.");
  watched.document.replaceText("One dog. Two");
  const { version } = watched.document;
  watched.server.socket.say(sentencesOf(version, 1, 0, 1, 2));
  watched.server.socket.say(analysisOf("Two", version, { sentence: 1, first_word: 2, start: 9 }));
  const [first, second] = watched.document.sentences;
  assert.deepEqual(
    [first!, second!].map((sentence) => momentsOf(watched.recorded.of(sentence)).map(({ text }) => text)),
    [["One dog."], ["Two"]],
  );
});

test("what is broken stays broken until a search has judged the tree anew, under the new numbers of its words", () => {
  const watched = new Watched();
  watched.type("a dog");
  const { version } = watched.document;
  const broken = [{ constraint: "no dog", section: "", penalty: 0.5, words: [2] }];
  const about = { type: "constraints", document: "letter", version, sentence: 0, score: null } as const;
  watched.server.socket.say({ ...about, broken });
  watched.type("a big dog");
  watched.server.socket.say({ ...about, version: watched.document.version, broken: [] });
  watched.type("a big dog");
  const told = watched.moments.map(({ broken }) => broken.map(({ constraint, words }) => [constraint, words]));
  assert.deepEqual(told[0], [["no dog", [2]]]);
  assert.deepEqual(told.at(-1), []);
});

test("there is room for so many analyses, and the oldest intermediate ones go first", () => {
  const watched = new Watched({ analyses: 8, words: 1000 });
  for (const text of ["a", "a b", "a b c", "a b c d"]) watched.type(text, IMPROVED);
  assert.equal(watched.moments.length, 8);
  watched.type("a b c d e");
  assert.deepEqual(
    watched.moments.map(({ text, stage }) => `${text} ${stage}`),
    ["a improved", "a b improved", "a b c improved", "a b c d initial", "a b c d improved", "a b c d e initial"],
  );
});

test("there is room for so many words, and where no intermediate one is left the oldest go", () => {
  const watched = new Watched();
  for (const text of ["a", "a b", "a b c", "a b c d"]) watched.type(text, IMPROVED);
  const all = watched.recorded.of(watched.document.sentences[0]!);
  const left = thinned(all, { analyses: 100, words: 7 });
  assert.deepEqual(
    momentsOf(left).map(({ text }) => text),
    ["a b c", "a b c d"],
  );
  assert.equal(thinned(all, WIDE).length, all.length);
});

test("what is kept stays within its bounds, however long one types", () => {
  const room = { analyses: 40, words: 300 };
  const watched = new Watched(room);
  const text = "a b c d e f g h i j";
  for (let round = 0; round < 60; round++) {
    watched.type(text.slice(0, 1 + 2 * (round % 10)), IMPROVED);
    const kept = watched.recorded.of(watched.document.sentences[0]!);
    const words = kept.reduce((sum, { sentence }) => sum + sentence.analysis.words.length, 0);
    assert.ok(kept.length <= room.analyses && words <= room.words, `${kept.length} analyses, ${words} words`);
  }
});

// --- what changed -----------------------------------------------------------------------------------------

test("new words, and words with another head, label or tag are told, with what they had before", () => {
  const [first, second, third] = typed();
  assert.deepEqual(changesBetween(first!, second!).come, ["dog"]);
  assert.deepEqual(changesBetween(second!, first!).gone, ["dog"]);
  const { words, come } = changesBetween(second!, third!);
  assert.deepEqual(come, []);
  assert.deepEqual(words, [
    {
      form: "The",
      numbers: [1, 1],
      before: { head: { kind: "root" }, label: "dep", tag: "X" },
      after: { head: { kind: "word", name: "dog" }, label: "det", tag: "DET" },
      isMoved: true,
      isRelabelled: true,
      isRetagged: true,
    },
  ]);
});

test("a word that only got another number has not moved", () => {
  const watched = new Watched();
  watched.type("old dog");
  watched.document.edit(0, 0, "the ");
  const words = wordsOf("the old dog").map((word, index) => ({ ...word, head: [2, 0, 2][index]! }));
  watched.server.socket.say(analysisOf("the old dog", watched.document.version, { words }));
  const [before, after] = watched.moments;
  const changes = changesBetween(before!, after!);
  assert.deepEqual(changes.come, ["the"]);
  assert.deepEqual(changes.words, []);
});

test("arcs that differ are lit at the numbers that their words have in each tree", () => {
  const watched = new Watched();
  watched.type("old dog", { words: hanging("old dog", 1, 2, "amod") });
  watched.document.edit(0, 0, "the ");
  watched.server.socket.say(analysisOf("the old dog", watched.document.version));
  const [, before, after] = watched.moments;
  const changes = changesBetween(before!, after!);
  assert.deepEqual(arcsChanged(changes, "earlier"), [1]);
  assert.deepEqual(arcsChanged(changes, "later"), [2]);
});

test("constraints that are broken no longer, or now, are told with their words", () => {
  const [, , , fourth, last] = typed();
  const told = { constraint: "one determiner", message: "Not *one determiner*.", forms: ["The", "dog"] };
  assert.deepEqual(changesBetween(fourth!, last!).broken, [told]);
  assert.deepEqual(changesBetween(last!, fourth!).mended, [told]);
  assert.deepEqual(changesBetween(last!, last!), { come: [], gone: [], words: [], mended: [], broken: [] });
});

test("a word that waits for one to come has another head once the tag of that one is another", () => {
  const [, , , fourth, last] = typed();
  const [change] = changesBetween(fourth!, last!).words;
  assert.deepEqual(change!.after.head, { kind: "expected", name: "NOUN" });
});

// --- files and links --------------------------------------------------------------------------------------

test("a file gives the same moments back", () => {
  const file = fileOf(typed());
  assert.deepEqual(readMoments(jsonOf(file)), file);
});

test("a link gives the same moments back, and is offered only where it is short", async () => {
  const file = fileOf(typed());
  const link = await linkOf(file, "http://here/");
  assert.match(link!, /^http:\/\/here\/#moments=[\w-]+$/);
  assert.ok(link!.length < 8000);
  assert.deepEqual(await readLink(new URL(link!).hash), file);
  assert.equal(await readLink("#watch"), null);
  const noise = Array.from({ length: 9000 }, (_, place) => ((place * 7919) ** 2).toString(36)).join("");
  const [moment] = file.moments;
  assert.equal(await linkOf(fileOf([{ ...moment!, text: noise.slice(0, 90_000) }]), "http://here/"), null);
});

function reasonOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof UnreadableMoments, String(error));
    return `${error.reason} ${error.count}`;
  }
  return "read";
}

test("what is no file of moments is refused with a reason", () => {
  const { moments } = fileOf(typed());
  const about = { format: "treewhile-moments", version: 1, model: "en", language: "en" };
  const refused: [string, string][] = [
    ["", "moments.file.other 0"],
    ["null", "moments.file.other 0"],
    ["[]", "moments.file.other 0"],
    ['{"format": "another"}', "moments.file.other 0"],
    [JSON.stringify({ ...about, version: 2, moments }), "moments.file.version 0"],
    [JSON.stringify({ ...about, moments: [] }), "moments.file.none 0"],
    [JSON.stringify({ ...about, moments: {} }), "moments.file.none 0"],
    [JSON.stringify({ ...about, moments: Array(1001).fill(moments[0]) }), "moments.file.many 0"],
    [" ".repeat(MOST_BYTES + 1), "moments.file.large 0"],
  ];
  for (const [json, reason] of refused)
    assert.equal(
      reasonOf(() => readMoments(json)),
      reason,
      json.slice(0, 80),
    );
});

test("a moment with anything that cannot be is refused, and it is told which one", () => {
  const [first, , third] = typed();
  const tree = third!.tree;
  const [the, dog] = tree.words;
  const withWords = (...words: unknown[]) => ({ ...third, tree: { ...tree, words } });
  const hostile: Record<string, unknown> = {
    "no moment": 7,
    "no tree": { ...third, tree: null },
    "time that runs back": { ...third, time: -1 },
    "time that is none": { ...third, time: "soon" },
    "level that is not there": { ...third, level: "L9" },
    "stage that is not there": { ...third, stage: "constructor" },
    "text that is none": { ...third, text: ["The dog"] },
    "text without end": { ...third, text: "a".repeat(100_001) },
    "words without end": withWords(...Array(1001).fill(the)),
    "word without form": withWords(the, { ...dog, form: undefined }),
    "words with one id": withWords(the, { ...dog, id: the!.id }),
    "head that is not there": withWords(the, { ...dog, head: 3 }),
    "head that is itself": withWords(the, { ...dog, head: 2 }),
    "head that is a half": withWords(the, { ...dog, head: 0.5 }),
    "expected head that is not there": withWords(the, { ...dog, head: -1 }),
    "label that is none": withWords(the, { ...dog, label: {} }),
    "expected words of one number": {
      ...third,
      tree: { ...tree, virtual: Array(2).fill({ node: 1, tag: "X", head: 0, label: "" }) },
    },
    "conflict of no word": { ...third, tree: { ...tree, conflicts: [{ words: [3] }] } },
    "firm words that are not there": { ...third, tree: { ...tree, stable_upto: 3 } },
    "constraint of no word": { ...third, broken: [{ constraint: "x", message: "", words: [0] }] },
    "constraint without name": { ...third, broken: [{ message: "", words: [] }] },
  };
  const read = (moment: unknown) => () => readMoments(jsonOf(fileOf([first!, moment as Moment])));
  assert.equal(reasonOf(read(third)), "read");
  for (const [name, moment] of Object.entries(hostile))
    assert.equal(reasonOf(read(moment)), "moments.file.damaged 2", name);
});

test("nothing of a file is taken but what is known", () => {
  const [first] = typed();
  const more = { ...first!, onclick: "alert(1)", tree: { ...first!.tree, innerHTML: "<script>" } };
  const json = jsonOf(fileOf([more as Moment])).replace('"model"', '"__proto__":{"isBad":true},"model"');
  const read = readMoments(json);
  assert.deepEqual(read, fileOf([first!]));
  assert.equal(readMoments(json.replace('"language":"en"', '"language":"\\" onload=x"')).language, "");
});

test("a link that is cut off, or of another kind, or that swells without end is refused", async () => {
  const link = (await linkOf(fileOf(typed()), ""))!;
  await assert.rejects(readLink(link.slice(0, -9)), { reason: "moments.link.damaged" });
  await assert.rejects(readLink("#moments=%%%"), { reason: "moments.link.damaged" });
  await assert.rejects(readLink("#moments="), { reason: "moments.link.damaged" });
  const bomb = new Blob([" ".repeat(2 * MOST_BYTES)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = Buffer.from(await new Response(bomb).arrayBuffer()).toString("base64url");
  await assert.rejects(readLink(`#moments=${packed}`), { reason: "moments.file.large" });
});

// --- pictures ---------------------------------------------------------------------------------------------

test("frames stand on one ground, each from its time to that of the next, and the last one stays", () => {
  const svg = (width: number, height: number) => `<svg xmlns="x" width="${width}" height="${height}"></svg>`;
  const frames = [
    { svg: svg(400, 100), caption: "0 s", time: 0 },
    { svg: svg(500, 160), caption: "<1 s>", time: 250 },
  ];
  const drawn = animatedSvg(frames, 'A "dog" & more');
  assert.match(drawn, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="500" height="188" viewBox="0 0 500 188"/);
  assert.match(drawn, /visibility="hidden" style="animation-delay:0ms;animation-duration:250ms">\n<svg y="60"/);
  assert.match(drawn, /<g class="frame" style="animation-duration:250ms">\n<svg y="0"/);
  assert.ok(drawn.includes("&#60;1 s&#62;") && drawn.includes("<title>A &#34;dog&#34; &#38; more</title>"));
  assert.ok(!drawn.includes("<script") && !drawn.includes("href"));
});
