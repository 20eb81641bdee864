import assert from "node:assert/strict";
import test from "node:test";
import { familyOf, offeredLabels } from "../../web/source/practice/families.ts";
import { fewest, narrowedHeads, narrowedRoles } from "../../web/source/practice/hints.ts";
import { HINT, KeptAnswers, type NewAnswer } from "../../web/source/practice/kept_answers.ts";
import { PRACTICE_SENTENCES, type GoldSentence } from "../../web/source/practice/practice_sentences.ts";
import { reasonAgainst } from "../../web/source/practice/reasons.ts";
import { csvOf } from "../../web/source/practice/results_csv.ts";
import { WordGame, type Move } from "../../web/source/practice/word_game.ts";

function sentence(words: string): GoldSentence {
  const parts = words.split(" ").map((word) => word.split("/") as [string, string, string]);
  const gold = parts.map(([form, head, label]) => ({ form, head: head === "_" ? null : Number(head), label }));
  return { text: parts.map(([form]) => form).join(" "), group: "", lang: "en", words: gold };
}

const DOG = "The/2/det dog/3/nsubj barks/0/root ./3/punct";

function move(game: WordGame, answer: string): Move {
  const { word, kind } = game.asked!;
  return { word, kind, answer };
}

test("all words but punctuation are asked about, the head before the role, and the root for its head alone", () => {
  const game = new WordGame(sentence(DOG));
  const asked: string[] = [];
  while (game.asked) {
    const { word, kind, right } = game.asked;
    asked.push(`${word} ${kind}`);
    assert.equal(game.take(move(game, right[0]!)), "right");
  }
  assert.deepEqual(asked, ["1 head", "1 role", "2 head", "2 role", "3 head"]);
  assert.deepEqual(game.score, { right: 5, answered: 5, all: 5 });
  assert.deepEqual(
    [...game.heads],
    [
      [1, 2],
      [2, 3],
      [3, 0],
    ],
  );
});

test("a wrong answer is noted, is closed, and costs the point of its question alone", () => {
  const game = new WordGame(sentence(DOG));
  assert.equal(game.take(move(game, "3")), "wrong");
  assert.deepEqual([...game.asked!.open], ["2", "0"]);
  assert.equal(game.take(move(game, "2")), "right");
  assert.equal(game.take(move(game, "det")), "right");
  assert.deepEqual(game.score, { right: 1, answered: 2, all: 5 });
  assert.deepEqual(game.mistakes, [{ word: 1, kind: "head", answer: "3" }]);
  assert.equal(game.take({ word: 1, kind: "head", answer: "2" }), null, "that was asked before");
  assert.equal(game.take(move(game, "17")), null, "that is no answer");
});

test("of every question of all sentences the right answer is offered, each hint leaves fewer, and the third one tells", () => {
  for (const one of PRACTICE_SENTENCES) {
    const game = new WordGame(one);
    while (game.asked) {
      const { asked } = game;
      const [right] = asked.right;
      const left = [asked.open.size];
      assert.ok(new Set(asked.answers).size === asked.answers.length && asked.answers.includes(right!), one.text);
      for (let hint = 1; hint <= 3; hint++) {
        assert.equal(game.take(move(game, HINT)), "hint");
        assert.ok(asked.open.has(right!), one.text);
        left.push(asked.open.size);
      }
      assert.ok(left[1]! <= left[0]! && left[2]! <= 3 && left[2]! <= left[1]!, left.join(" "));
      assert.equal(left[3], 1);
      assert.equal(game.take(move(game, HINT)), null, "there are three");
      assert.equal(game.take(move(game, right!)), "right");
    }
    assert.equal(game.score.right, 0, "whoever had a hint has no point");
  }
});

test("hints leave one side, or the nearer or further half where a word stands at the edge", () => {
  assert.deepEqual(narrowedHeads(3, 5, [1, 2, 4, 5, 0]), { by: "after", left: [4, 5, 0] });
  assert.deepEqual(narrowedHeads(3, 1, [1, 2, 4, 5, 0]), { by: "before", left: [1, 2, 0] });
  assert.deepEqual(narrowedHeads(2, 0, [1, 3, 4, 0]), { by: "after", left: [3, 4, 0] });
  assert.deepEqual(narrowedHeads(1, 2, [2, 3, 4, 5, 0]), { by: "near", left: [2, 3, 0] });
  assert.deepEqual(narrowedHeads(1, 5, [2, 3, 4, 5, 0]), { by: "far", left: [4, 5, 0] });
  assert.deepEqual(narrowedRoles(1, ["nsubj", "det", "amod", "case"]), { by: "description", left: [1, 2] });
  assert.deepEqual(fewest(4, [1, 2, 4, 5, 0]), [2, 4, 5]);
  assert.deepEqual(fewest(4, [1, 4]), [1, 4]);
  assert.deepEqual(fewest(4, [4]), [4]);
});

test("nine roles at most are offered, one of each base, the right one with its subtype", () => {
  const labels = offeredLabels(["nmod:poss"], ["nmod", "nsubj", "root", "punct", "acl:relcl"]);
  assert.ok(labels.includes("nmod:poss") && !labels.includes("nmod"));
  assert.ok(!labels.includes("root") && !labels.includes("punct"));
  assert.ok(labels.length <= 9 && labels.filter((label) => familyOf(label) === "description").length > 1);
});

test("an arc that the parser finds as good is right, too, and has its own role", () => {
  const saw = sentence("saw/0/root men/1/obj with/4/case telescopes/1/obl");
  const rival = [
    { head: 1, label: "obl" },
    { head: 2, label: "nmod" },
  ];
  const game = new WordGame(saw, new Map([[4, rival]]));
  for (const answer of ["0", "1", "obj", "4", "case"]) game.take(move(game, answer));
  assert.deepEqual(game.asked?.right, ["1", "2"]);
  assert.equal(game.take(move(game, "2")), "equal");
  assert.deepEqual(game.asked?.right, ["nmod"]);
  assert.equal(game.take(move(game, "nmod")), "right");
  const strict = new WordGame(saw, new Map([[4, [{ head: 3, label: "obl" }]]]));
  for (const answer of ["0", "1", "obj", "4", "case"]) strict.take(move(strict, answer));
  assert.deepEqual(strict.asked?.right, ["1"], "the parser's own arc is no reason against the tree");
});

test("a word without a head in the tree is asked about as the parser has it, and not at all without a parser", () => {
  const open = sentence("dog/2/nsubj barks/0/root loudly/_/_");
  assert.equal(new WordGame(open).score.all, 3);
  const game = new WordGame(open, new Map([[3, [{ head: 2, label: "advmod" }]]]));
  assert.equal(game.score.all, 5);
});

test("why an arc is wrong is told by the tree", () => {
  const heads = [2, 4, 2, 0, 7, 7, 4];
  assert.deepEqual(reasonAgainst(1, 0, heads), { kind: "root" });
  assert.deepEqual(reasonAgainst(2, 1, heads), { kind: "turned" });
  assert.deepEqual(reasonAgainst(4, 1, heads), { kind: "below" });
  assert.deepEqual(reasonAgainst(1, 4, heads), { kind: "above" });
  assert.deepEqual(reasonAgainst(1, 3, heads), { kind: "beside" });
  assert.deepEqual(reasonAgainst(1, 5, heads), { kind: "elsewhere", top: 4 });
  assert.deepEqual(reasonAgainst(1, 3, [2, 1, 0]), { kind: "elsewhere", top: 0 }, "circles end");
});

// --- what is kept -------------------------------------------------------------------------------------------

const ANSWER: NewAnswer = {
  practice: "words",
  sentence: 'She said "no", then left.',
  lang: "en",
  attempt: 1,
  number: 1,
  word: "She",
  question: "head",
  answer: "2",
  expected: "2",
  isRight: true,
};

test("results are CSV that tables read: quoted where it must be, and never a formula", () => {
  const rows = csvOf([
    { time: 0, ...ANSWER },
    { time: 0, ...ANSWER, sentence: "a", word: "=1+1", isRight: false },
    { time: 0, ...ANSWER, sentence: "a", word: "-" },
  ]).split("\r\n");
  assert.equal(rows[0], "\uFEFFtime,practice,language,sentence,attempt,number,word,question,answer,expected,right");
  assert.equal(rows[1], '1970-01-01T00:00:00.000Z,words,en,"She said ""no"", then left.",1,1,She,head,2,2,1');
  assert.equal(rows[2], "1970-01-01T00:00:00.000Z,words,en,a,1,1,'=1+1,head,2,2,0");
  assert.match(rows[3]!, /,1,1,-,head,/);
  assert.equal(rows.length, 5);
});

/** A storage that takes so many characters. */
function storage(room: number): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem(name: string, value: string) {
      if (value.length > room) throw new Error("full");
      kept.set(name, value);
    },
    removeItem: (name: string) => void kept.delete(name),
  } as unknown as Storage;
}

function withStorage(room: number, act: (local: Storage) => void): void {
  const local = storage(room);
  Object.defineProperty(globalThis, "localStorage", { value: local, configurable: true });
  try {
    act(local);
  } finally {
    Reflect.deleteProperty(globalThis, "localStorage");
  }
}

test("answers are kept for other tabs and visits; the oldest go where there is no room, and broken ones are not read", () => {
  withStorage(2000, (local) => {
    const [one, other] = [new KeptAnswers(), new KeptAnswers()];
    for (let number = 1; number <= 40; number++) (number % 2 ? one : other).add({ ...ANSWER, number });
    const numbers = one.all.map(({ number }) => number);
    assert.equal(numbers.at(-1), 40);
    assert.ok(numbers.length > 3 && numbers.length < 40);
    assert.deepEqual(
      numbers,
      [...numbers].sort((a, b) => a - b),
    );
    assert.equal(other.attemptsAt("words", ANSWER.sentence), 1);
    assert.equal(other.attemptsAt("steps", ANSWER.sentence), 0);
    other.add({ ...ANSWER, attempt: 2 });
    assert.equal(one.ofLastAttempt("words", ANSWER.sentence).length, 1);
    local.setItem("treewhile-answers", '[{"time": 1}, null, 7]');
    assert.deepEqual(one.all, []);
    one.forget();
    assert.equal(local.getItem("treewhile-answers"), null);
  });
});

test("a browser that keeps nothing still has the answers of this visit", () => {
  withStorage(0, () => {
    const kept = new KeptAnswers();
    for (let number = 1; number <= 5; number++) kept.add({ ...ANSWER, number });
    assert.equal(kept.all.length, 5);
  });
});
