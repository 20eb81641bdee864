import assert from "node:assert/strict";
import test from "node:test";
import { graphOf, layOut, type ToLayOut, type TreeLayout } from "../../web/source/tree/index.ts";
import { latexOf, latexOfPhrases } from "../../web/source/tree/latex.ts";
import { endsOfRows, endsOfView } from "../../web/source/tree/open_ends.ts";

const words = (heads: readonly (number | "later")[]) =>
  heads.map((head) => ({ form: "word", tag: "NOUN", head, label: "dep" }));

function tree(heads: readonly (number | "later")[], more: Partial<ToLayOut> = {}) {
  const { arcs } = graphOf({ words: words(heads) });
  const sizes = { widths: heads.map(() => 60), labelWidths: heads.map(() => 20) };
  const layout = layOut({ arcs, ...sizes, width: 320, direction: "ltr", margin: 50, ...more });
  return { arcs, layout };
}

test("a margin beside the rows stays free of words and lines, before the first row none is needed", () => {
  const { layout } = tree([0, 1, 1, 1, 1, 1, 1, 1]);
  assert.deepEqual(
    layout.nodes.map(({ row }) => row),
    [0, 0, 0, 0, 1, 1, 1, 2],
  );
  assert.equal(layout.nodes[0]!.x, 30);
  assert.equal(layout.nodes[4]!.x, 80);
  assert.ok(layout.parts.every(({ row, from, to }) => from >= (row ? 50 : 0) && to <= 270));
  assert.ok(layout.width <= 320);
});

/** Each end of a part that stands on no word, as "row:side". */
const openSides = ({ parts }: TreeLayout) =>
  parts.flatMap(({ row, standsAtFrom, standsAtTo }) => [
    ...(standsAtFrom ? [] : [`${row}:left`]),
    ...(standsAtTo ? [] : [`${row}:right`]),
  ]);

test("wherever an arc leaves its row, the word at its other end is named, in both directions", () => {
  let state = 11;
  const below = (limit: number) => (state = (state * 48271) % 2147483647) % limit;
  let named = 0;
  for (let round = 0; round < 300; round++) {
    const n = 3 + below(30);
    const heads = Array.from({ length: n }, (_, word) => (word ? 1 + below(word) : 0));
    for (const direction of ["ltr", "rtl"] as const) {
      const { arcs, layout } = tree(heads, { direction });
      const ends = endsOfRows(layout, arcs, direction === "rtl");
      assert.equal(ends.length, openSides(layout).length);
      for (const { arc, node, row, x } of ends) {
        const { dependent, source } = arcs[arc]!;
        assert.ok(node === dependent || node === source);
        const isAfter = layout.nodes[node!]!.row > row;
        assert.notEqual(layout.nodes[node!]!.row, row, "a name leads out of its row");
        assert.equal(isAfter === (direction === "ltr"), x > layout.width / 2);
      }
      named += ends.length;
    }
  }
  assert.ok(named > 1000);
});

test("no two names stand in one place", () => {
  const { arcs, layout } = tree([2, 0, 2, 2, 4, 5, 2, 7, 8, 2, 10, 2]);
  const places = endsOfRows(layout, arcs, false).map(({ x, y }) => `${x} ${y}`);
  assert.equal(new Set(places).size, places.length);
  assert.ok(places.length > 4);
});

test("an arc from what is still to come names no word", () => {
  const { arcs, layout } = tree([2, "later"]);
  assert.deepEqual(
    endsOfRows(layout, arcs, false).map(({ node }) => node),
    [null],
  );
});

test("one row has all words, and each arc that leaves the view names the word that is out of it", () => {
  const heads = Array.from({ length: 40 }, (_, word) => (word === 20 ? 0 : 21));
  for (const direction of ["ltr", "rtl"] as const) {
    const { arcs, layout } = tree(heads, { isInOneRow: true, margin: 0, direction });
    assert.equal(layout.rows.length, 1);
    for (let from = 0; from < layout.width - 300; from += 97) {
      const view = { from, to: from + 300 };
      const isIn = (place: number, more: number) =>
        view.from - more <= layout.nodes[place]!.x && layout.nodes[place]!.x <= view.to + more;
      const ends = endsOfView(layout, arcs, direction === "rtl", view);
      for (const { node, x } of ends) {
        const at = layout.nodes[node!]!.x;
        assert.ok(x < from + 150 ? at < from + 30 : at > view.to - 30, "it names what is beyond that side");
      }
      const leaves = (one: number, other: number) => isIn(one, -30) && !isIn(other, 30);
      const leaving = arcs.filter(
        ({ dependent, source }) =>
          typeof source === "number" && (leaves(dependent, source) || leaves(source, dependent)),
      );
      assert.ok(leaving.length > 0 || ends.length > 0);
      for (const { dependent } of leaving)
        assert.ok(
          ends.some(({ arc }) => arcs[arc]!.dependent === dependent),
          `the arc to ${dependent} is named from ${from}`,
        );
    }
  }
});

test("punctuation is folded unless something hangs on it, or somebody has decided about it", () => {
  const comma = { form: ",", tag: "PUNCT", head: 1, label: "punct" };
  const [yes] = words([0]);
  const folded = (more: object, last = 1) =>
    graphOf({ words: [yes!, { ...comma, ...more }, { ...yes!, head: last }] }, false, false, true);
  const { nodes, arcs } = folded({});
  assert.deepEqual(
    nodes.map(({ form, tag, isFolded }) => [form, tag, isFolded]),
    [
      ["word", "NOUN", false],
      [",", "", true],
      ["word", "NOUN", false],
    ],
  );
  assert.deepEqual(
    arcs.map(({ dependent }) => dependent),
    [0, 2],
  );
  assert.equal(folded({}, 2).arcs.length, 3);
  assert.equal(folded({ fixed: ["head"] }).arcs.length, 3);
});

test("LaTeX has words, tags, arcs and the root, with what means something to it spelt out", () => {
  const latex = latexOf({
    words: [
      { form: "50%", tag: "NUM", head: 2, label: "nsubj" },
      { form: "R&D_{x}", tag: "NOUN", head: 0, label: "root" },
      { form: "~\\", tag: "PUNCT", head: "later", label: null },
    ],
  });
  assert.ok(latex.includes("50\\% \\& R\\symbol{38}D\\_\\{x\\} \\& \\textasciitilde{}\\textbackslash{} \\\\"));
  assert.ok(latex.includes("{\\footnotesize NUM} \\& {\\footnotesize NOUN}"));
  assert.ok(latex.includes("\\depedge{2}{1}{nsubj}\n  \\deproot{2}{root}\n  \\depedge{2}{3}{dep}"));
});

test("phrases in LaTeX are nested brackets with all their words, of which none means anything to LaTeX or forest", () => {
  const words = ["[50%,", "x=1", "end"].map((form) => ({ form, tag: "NOUN", head: 0, label: "dep" }));
  const latex = latexOfPhrases({
    words,
    constituents: [
      ["S", 1, null],
      ["NP-SBJ", 1, 2],
    ],
  });
  assert.equal(
    latex,
    [
      "% \\usepackage{forest}",
      "\\begin{forest}",
      "  [{S}",
      "    [{NP-SBJ}",
      "      [{NOUN} [{[50\\%,}]]",
      "      [{NOUN} [{x=1}]]]",
      "    [{NOUN} [{end}]]]",
      "\\end{forest}",
      "",
    ].join("\n"),
  );
  const parts = latexOfPhrases({ words, constituents: [["NP", 2, 3]] });
  assert.ok(parts.includes("  [{ROOT}\n    [{NOUN} [{[50\\%,}]]\n    [{NP}\n"), parts);
});
