import assert from "node:assert/strict";
import test from "node:test";
import {
  conlluOf,
  directionOf,
  finishedHeads,
  graphOf,
  layOut,
  METRICS,
  METRICS_WITH_LEMMAS,
  type ToLayOut,
  type TreeAnalysis,
  type TreeLayout,
  type TreeVirtual,
} from "../../web/source/tree/index.ts";

function laidOut(heads: TreeAnalysis["words"][number]["head"][], more: Partial<ToLayOut> = {}): TreeLayout {
  const { arcs } = graphOf({ words: heads.map((head) => ({ form: "word", head, label: "dep" })) });
  return layOut({
    arcs,
    widths: heads.map(() => 60),
    labelWidths: heads.map(() => 20),
    width: 10_000,
    direction: "ltr",
    ...more,
  });
}

const levelOf = (layout: TreeLayout, dependent: number) => layout.parts.find((part) => part.arc === dependent)!.level;

test("an arc is one level above the highest arc that is nested inside", () => {
  const layout = laidOut([2, 3, 0, 3, 4]);
  assert.deepEqual(
    [0, 1, 3, 4].map((arc) => levelOf(layout, arc)),
    [1, 1, 1, 1],
  );
  const nested = laidOut([4, 1, 2, 0]);
  assert.deepEqual(
    [0, 1, 2].map((arc) => levelOf(nested, arc)),
    [2, 1, 1],
  );
});

test("the root's arrow begins above all arcs of its word", () => {
  const layout = laidOut([3, 3, 0, 3]);
  assert.equal(levelOf(layout, 2), 1 + Math.max(levelOf(layout, 0), levelOf(layout, 3)));
});

test("crossing arcs have different levels", () => {
  const layout = laidOut([3, 4, 0, 3]);
  assert.notEqual(levelOf(layout, 0), levelOf(layout, 1));
});

test("labels that would meet are put on different levels", () => {
  const apart = laidOut([2, 3, 0]);
  assert.equal(levelOf(apart, 0), levelOf(apart, 1));
  const meeting = laidOut([2, 3, 0], { labelWidths: [70, 70, 20] });
  assert.notEqual(levelOf(meeting, 0), levelOf(meeting, 1));
});

test("arcs at one word stand apart, and none crosses the foot of another one", () => {
  const { parts } = laidOut([3, 3, 0, 3, 3]);
  const feet = parts.flatMap(({ from, to, arc }) => (arc < 2 ? [to] : arc > 2 ? [from] : [from]));
  assert.equal(new Set(feet).size, 5);
  const [far, near, root, nearRight, farRight] = feet as [number, number, number, number, number];
  assert.ok(near < far && far < root && root < farRight && farRight < nearRight);
});

test("words stay where they are when words and arcs are added after them", () => {
  const before = laidOut([2, 0, null]);
  const after = laidOut([2, 0, 2, 3, 1]);
  assert.deepEqual(after.nodes.slice(0, 3), before.nodes);
});

test("words that do not fit begin a new row, and arcs go on from edge to edge", () => {
  const { nodes, parts, rows } = laidOut([0, 1, 1, 1, 1, 1, 1], { width: 190 });
  assert.deepEqual(
    nodes.map((node) => node.row),
    [0, 0, 0, 1, 1, 1, 2],
  );
  const last = parts.filter((part) => part.arc === 6);
  assert.deepEqual(
    last.map((part) => [part.row, part.standsAtFrom, part.standsAtTo]),
    [
      [0, true, false],
      [1, false, false],
      [2, false, true],
    ],
  );
  assert.deepEqual(
    last.map((part) => part.label !== null),
    [false, false, true],
  );
  assert.ok(rows.every((row, index) => index === 0 || row.y > rows[index - 1]!.y));
});

test("a word that is wider than all the room has a row of its own", () => {
  const { nodes } = laidOut([0, 1, 2], { widths: [60, 900, 60], width: 300 });
  assert.deepEqual(
    nodes.map((node) => node.row),
    [0, 1, 2],
  );
});

test("arcs from what is still to come go to the edge of the row", () => {
  const layout = laidOut([2, "later"]);
  const [part] = layout.parts.filter((one) => one.arc === 1);
  assert.deepEqual([part!.standsAtFrom, part!.standsAtTo, part!.to], [true, false, 120 + METRICS.later]);
});

test("a row does not become lower than it was", () => {
  const high = laidOut([5, 1, 2, 3, 0]);
  const low = laidOut([0, 1, 2, 3, 4], { levelsBefore: high.rows.map((row) => row.levels) });
  assert.equal(low.rows[0]!.y, high.rows[0]!.y);
});

test("from right to left, everything is mirrored", () => {
  const [left, right] = [laidOut([2, 0, 2], { width: 180 }), laidOut([2, 0, 2], { width: 180, direction: "rtl" })];
  assert.deepEqual(
    right.nodes.map((node) => 180 - node.x),
    left.nodes.map((node) => node.x),
  );
  assert.ok(right.parts.every((part) => part.from <= part.to));
});

test("random trees keep their words in order and within the room, and no two parts in one place", () => {
  let state = 11;
  const below = (limit: number) => (state = (state * 48271) % 2147483647) % limit;
  for (let round = 0; round < 300; round++) {
    const n = 1 + below(12);
    const heads = Array.from({ length: n }, (_, word) => (word === 0 ? 0 : 1 + below(word)));
    const layout = laidOut(heads, { width: 240 });
    layout.nodes.forEach(({ row, x }, index) => {
      const before = layout.nodes[index - 1];
      assert.ok(x - 30 >= 0 && x + 30 <= 240);
      assert.ok(!before || row > before.row || x >= before.x + 60);
    });
    for (const [index, one] of layout.parts.entries())
      for (const other of layout.parts.slice(index + 1))
        if (one.row === other.row && one.level === other.level)
          assert.ok(one.to <= other.from || other.to <= one.from, `round ${round}: ${heads}`);
  }
});

/** The lines of a part, in the coordinates of its row: horizontal ones and vertical ones. */
function linesOf(part: TreeLayout["parts"][number]) {
  const feet = [part.standsAtFrom ? part.from : null, part.standsAtTo ? part.to : null].filter((x) => x !== null);
  return { from: part.from, to: part.to, y: part.y, feet: [...new Set(feet)] };
}

/** Pairs of arcs whose lines cross in some row. */
function crossings({ parts }: TreeLayout): [number, number][] {
  return parts.flatMap((one) =>
    parts.flatMap((other): [number, number][] => {
      const [flat, upright] = [linesOf(one), linesOf(other)];
      const isCrossed = upright.feet.some((x) => flat.from < x && x < flat.to && upright.y < flat.y);
      return one.row === other.row && one.arc !== other.arc && isCrossed ? [[one.arc, other.arc]] : [];
    }),
  );
}

/** A projective tree over the words from `first` to `last`, under a head. */
function projectiveHeads(first: number, last: number, head: number, below: (count: number) => number): number[] {
  if (first > last) return [];
  const root = first + below(last - first + 1);
  const cut = (from: number, to: number): number[] => {
    if (from > to) return [];
    const end = from + below(to - from + 1);
    return [...projectiveHeads(from, end, root, below), ...cut(end + 1, to)];
  };
  return [...cut(first, root - 1), head, ...cut(root + 1, last)];
}

test("arcs of projective trees do not cross, however their rows are broken", () => {
  let state = 5;
  const below = (limit: number) => (state = (state * 48271) % 2147483647) % limit;
  for (let round = 0; round < 500; round++) {
    const n = 2 + below(25);
    const heads = projectiveHeads(1, n, 0, below);
    const widths = heads.map(() => 60 + below(60));
    const labelWidths = heads.map(() => 10 + below(90));
    for (const direction of ["ltr", "rtl"] as const) {
      const layout = laidOut(heads, { width: 150 + below(400), widths, labelWidths, direction });
      assert.deepEqual(crossings(layout), [], `round ${round}: ${heads}`);
      const isInTheMiddle = ({ label, from, to }: TreeLayout["parts"][number]) =>
        label === null || Math.abs(label - (from + to) / 2) < 1e-6;
      assert.ok(layout.parts.every(isInTheMiddle));
    }
  }
});

/** Any tree: words in some order, each under the root or a word before it in that order. */
function anyHeads(n: number, below: (count: number) => number): number[] {
  const order: number[] = [];
  for (let word = 1; word <= n; word++) order.splice(below(word), 0, word);
  const heads: number[] = Array(n).fill(0);
  order.forEach((word, place) => (heads[word - 1] = place ? order[below(place)]! : 0));
  return heads;
}

/** Pairs of edges that cross in the tree itself, the root standing left of all words. */
function crossingEdges(heads: readonly number[]): [number, number][] {
  const edges = heads.map((head, word) => [Math.min(head, word + 1), Math.max(head, word + 1)] as const);
  return edges.flatMap(([left, right], one) =>
    edges.flatMap(([otherLeft, otherRight], other): [number, number][] =>
      left < otherLeft && otherLeft < right && right < otherRight ? [[one, other]] : [],
    ),
  );
}

const inOrder = (pairs: [number, number][]) =>
  pairs.map(([one, other]) => [Math.min(one, other), Math.max(one, other)].join("-")).sort();

test("arcs of any tree cross once where its edges do, and nowhere else", () => {
  let state = 7;
  const below = (limit: number) => (state = (state * 48271) % 2147483647) % limit;
  let found = 0;
  for (let round = 0; round < 500; round++) {
    const heads = anyHeads(2 + below(10), below);
    const expected = inOrder(crossingEdges(heads));
    assert.deepEqual(inOrder(crossings(laidOut(heads))), expected, `round ${round}: ${heads}`);
    found += expected.length;
  }
  assert.ok(found > 500);
});

test("arcs of any tree cross once where its edges do, however their rows are broken", () => {
  let state = 13;
  const below = (limit: number) => (state = (state * 48271) % 2147483647) % limit;
  let broken = 0;
  for (let round = 0; round < 500; round++) {
    const heads = anyHeads(4 + below(9), below);
    const layout = laidOut(heads, { width: 130 + below(300), direction: round % 2 ? "ltr" : "rtl" });
    assert.deepEqual(inOrder(crossings(layout)), inOrder(crossingEdges(heads)), `round ${round}: ${heads}`);
    const isBroken = (arc: number) => layout.parts.filter((part) => part.arc === arc).length > 1;
    broken += crossingEdges(heads).filter(([one, other]) => isBroken(one) && isBroken(other)).length;
  }
  assert.ok(broken > 500);
});

test("an arc from what is still to come crosses those that go on beyond its word", () => {
  for (const width of [10_000, 200]) {
    const layout = laidOut([5, "later", 0, 3, 3, 5], { width });
    assert.deepEqual(inOrder(crossings(layout)), ["0-1", "0-2", "1-2"], `in rows of ${width}`);
  }
});

test("a label stands beside the arcs that cross its own", () => {
  const heads = [3, 4, 0, 3];
  const [crossed] = laidOut(heads).parts;
  const foot = laidOut(heads).parts[1]!.from;
  assert.ok(crossed!.from < foot && foot < crossed!.to);
  assert.ok(Math.abs(crossed!.label! - foot) >= 12);
});

test("labels keep to their arcs, and to the middle where nothing goes through", () => {
  let state = 3;
  const below = (limit: number) => (state = (state * 48271) % 2147483647) % limit;
  let moved = 0;
  for (let round = 0; round < 300; round++) {
    const heads = anyHeads(2 + below(12), below);
    const labelWidths = heads.map(() => 10 + below(50));
    for (const part of laidOut(heads, { width: 150 + below(900), labelWidths }).parts) {
      if (part.label === null || part.from === part.to) continue;
      const isMoved = part.label !== (part.from + part.to) / 2;
      assert.ok(!isMoved || !part.isLabelAbove);
      assert.ok(
        part.isLabelAbove || Math.min(part.label - part.from, part.to - part.label) >= labelWidths[part.arc]! / 2,
      );
      moved += Number(isMoved);
    }
  }
  assert.ok(moved > 100);
});

test("most letters of a sentence decide its direction, and the first one where it is even", () => {
  const wordsOf = (text: string) => text.split(" ").map((form) => ({ form, head: null, label: null }));
  assert.equal(directionOf(wordsOf("12 כלב נובח")), "rtl");
  assert.equal(directionOf(wordsOf("NASA שיגרה חללית")), "rtl");
  assert.equal(directionOf(wordsOf("שלום says the dog")), "ltr");
  assert.equal(directionOf(wordsOf("dog כלב")), "ltr");
  assert.equal(directionOf([]), "ltr");
});

test("virtual nodes come after the words, and heads name them by negative numbers", () => {
  const { nodes, arcs } = graphOf({
    words: [
      { form: "The", head: -1, label: "det" },
      { form: "big", head: -2, label: "amod" },
    ],
    virtual: [{ node: 1, tag: "NOUN", head: 0, label: "root" }],
  });
  assert.deepEqual(
    nodes.map((node) => node.form),
    ["The", "big", "NOUN"],
  );
  assert.deepEqual(
    arcs.map(({ dependent, source }) => [dependent, source]),
    [
      [0, 2],
      [2, "root"],
    ],
  );
});

test("CoNLL-U is a tree, also of a sentence that is not finished", () => {
  const words = [
    { form: "Dogs", tag: "NOUN", features: "Number=Plur", head: 2, label: "nsubj", start: 0, end: 4 },
    { form: "bark", tag: "VERB", head: 0, label: "root", start: 5, end: 9 },
    { form: "!", tag: "PUNCT", head: "later" as const, label: "punct", start: 9, end: 10 },
  ];
  const lines = conlluOf({ words }).split("\n");
  assert.equal(lines[0], "# text = Dogs bark!");
  assert.equal(lines[1], "1\tDogs\t_\tNOUN\t_\tNumber=Plur\t2\tnsubj\t_\t_");
  assert.equal(lines[2], "2\tbark\t_\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No");
  assert.equal(lines[3], "3\t!\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_");
  assert.deepEqual(lines.slice(4), ["", ""]);
});

test("CoNLL-U has lemmas and XPOS where they are known", () => {
  const words = [
    { form: "Dogs", tag: "NOUN", lemma: "dog", xpos: "NNS", head: 2, label: "nsubj" },
    { form: "bark", tag: "VERB", lemma: null, xpos: null, head: 0, label: "root" },
  ];
  const lines = conlluOf({ words }).split("\n");
  assert.equal(lines[1], "1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_");
  assert.equal(lines[2], "2\tbark\t_\tVERB\t_\t_\t0\troot\t_\t_");
});

test("nodes have lemmas only where these are shown, and then rows are higher whether lemmas have come or not", () => {
  const words = [
    { form: "Dogs", tag: "NOUN", lemma: "dog", head: 2, label: "nsubj" },
    { form: "bark", tag: "VERB", head: 0, label: "root" },
  ];
  const lemmasOf = (showsLemmas: boolean) => graphOf({ words }, showsLemmas).nodes.map(({ lemma }) => lemma);
  assert.deepEqual(
    [lemmasOf(false), lemmasOf(true)],
    [
      ["", ""],
      ["dog", ""],
    ],
  );
  const [arcs, labelWidths] = [graphOf({ words }).arcs, [20, 20]];
  const tree: ToLayOut = { arcs, labelWidths, widths: [60, 60], width: 100, direction: "ltr" };
  const [low, high] = [layOut(tree), layOut(tree, METRICS_WITH_LEMMAS)];
  assert.equal(high.height - low.height, 2 * (high.below - low.below));
  assert.ok(high.below > low.below);
});

test("the first word that hangs on a word to come takes its place, and a sentence without a root gets one", () => {
  const headsOf = (words: [TreeAnalysis["words"][number]["head"], string | null][], virtual: TreeVirtual[] = []) =>
    finishedHeads({ words: words.map(([head, label]) => ({ form: "x", head, label })), virtual }).map(
      ({ head, label, isReplaced }) => [head, label, isReplaced].join(" "),
    );
  const noun = { node: 2, tag: "NOUN", head: 1, label: "obj" };
  const verb = { node: 4, tag: "VERB", head: "later" as const, label: "root" };
  assert.deepEqual(
    headsOf(
      [
        [0, "root"],
        [-2, "det"],
        [-2, "amod"],
      ],
      [noun],
    ),
    ["0 root false", "1 obj true", "2 amod true"],
  );
  assert.deepEqual(
    headsOf(
      [
        [2, "det"],
        [-4, "nsubj"],
        [-4, "aux"],
        [null, null],
      ],
      [verb],
    ),
    ["2 det false", "0 root true", "2 aux true", "2 dep true"],
  );
});
