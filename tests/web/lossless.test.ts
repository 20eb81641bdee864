/** Files that are opened and saved are the same bytes, and a correction changes the cells that it is about. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { annotatedSentences } from "../../web/source/page/annotated_sentences.ts";
import { conlluFile } from "../../web/source/page/conllu_files.ts";
import { withChanges, type Decisions, type WordChange } from "../../web/source/page/decisions.ts";
import { opened } from "../../web/source/page/file_annotations.ts";
import { savedConllu } from "../../web/source/page/saved_conllu.ts";
import { treebanksAtHand } from "./treebanks_at_hand.ts";

const row = (...cells: string[]) => cells.join("\t");

const ODD = [
  "# newdoc id = odd",
  "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC",
  "",
  "#text=Dáselo  ya , 10 000 veces",
  "#  a comment \t with white space  ",
  row("0.1", "él", "él", "PRON", "_", "_", "_", "_", "1:nsubj", "_"),
  row("1-3", "Dáselo", "_", "_", "_", "_", "_", "_", "_", "Gloss=give it | to him "),
  row("1", "Da", "dar", "VERB", "v", "Mood=Imp", "0", "root", "0:root|5.1:conj", "_"),
  row("2", "se", "él", "PRON", "p", "_", "1", "obl:arg", "1:obl:arg", "_"),
  row("3", "lo", "él", "PRON", "p", "_", "1", "obj", "1:obj", "_"),
  row("4", "ya", "ya", "ADV", "r", "_", "1", "advmod", "1:advmod", "SpaceAfter=No"),
  row("5", ",", ",", "PUNCT", "f", "_", "1", "punct", "1:punct", "SpacesAfter=\\s\\s"),
  row("5.1", "_", "dar", "VERB", "_", "_", "_", "_", "1:conj", "CopyOf=1"),
  row("6", "10 000", "10000", "NUM", "z", "NumType=Card", "7", "nummod", "7:nummod", "_"),
  row("7", "veces", "vez", "NOUN", "n", "_", "1", "obl", "1:obl", "_"),
  "# a comment behind",
  "  \t ",
  "# text = this is not what the words say",
  row("1", "Cats", "cat", "NOUN", "_", "_", "2", "nsubj", "_", "_"),
  row("2", "sleep", "sleep", "VERB", "_", "_", "0", "root", "_", "_"),
  "",
  row("1", "too", "few"),
  "",
  row("1-11", "Donau", "_", "_", "_", "_", "_", "_", "_", "_"),
  ...Array.from({ length: 11 }, (_, at) =>
    row(`${at + 1}`, `part${at + 1}`, "_", "X", "_", "_", `${at}`, at ? "dep" : "root", "_", "_"),
  ),
].join("\n");

const FILES: [string, string][] = [
  ["odd", ODD],
  ["odd with a last line break", `${ODD}\n`],
  ["odd with blank lines around", `\n\n${ODD}\n\n\n# the end`],
  ["odd with CRLF", ODD.replaceAll("\n", "\r\n")],
  ["odd with a BOM", `\uFEFF${ODD}`],
];

function savedAs(contents: string, decide = (_: Drawn): Decisions => []): string {
  const { text, annotations } = opened(conlluFile("a.conllu", contents));
  return savedConllu(text, [], annotations, decide(annotatedSentences(text, [], annotations))).contents;
}

type Drawn = ReturnType<typeof annotatedSentences>;

/** Decides about the words of sentences, by their numbers. */
function deciding(changes: readonly (readonly [number, WordChange])[]): (drawn: Drawn) => Decisions {
  return (drawn) =>
    drawn.reduce<Decisions>((all, { tree }, index) => {
      const change = changes[index];
      return change ? withChanges(all, tree, new Map([change])) : all;
    }, []);
}

/** The cells that differ, as "line column: before > after". */
function differences(before: string, after: string): string[] {
  const [lines, others] = [before.split("\n"), after.split("\n")];
  assert.equal(lines.length, others.length);
  return lines.flatMap((line, index) => {
    const [cells, now] = [line.split("\t"), others[index]!.split("\t")];
    assert.equal(cells.length, now.length);
    return cells.flatMap((cell, place) => (cell === now[place] ? [] : [`${index} ${place}: ${cell} > ${now[place]}`]));
  });
}

for (const [name, contents] of FILES)
  test(`opened and saved unchanged it is the same: ${name}`, () => assert.equal(savedAs(contents), contents));

test("a correction changes the cells that it is about, and nothing else", () => {
  for (const [, contents] of FILES) {
    const at = contents.split("\n").findIndex((line) => line.startsWith("3\tlo"));
    const corrected = savedAs(contents, deciding([[3, { head: 5, label: "iobj", tag: "DET" }]]));
    assert.deepEqual(differences(contents, corrected), [
      `${at} 3: PRON > DET`,
      `${at} 6: 1 > 5`,
      `${at} 7: obj > iobj`,
    ]);
  }
});

test("words that the text lacks, and those of long ranges, are corrected likewise", () => {
  const at = (start: string) => ODD.split("\n").findIndex((line) => line.startsWith(start));
  const changes: [number, WordChange][] = [
    [7, { tag: "NUM" }],
    [1, { head: 0 }],
    [11, { head: 1, label: "flat" }],
  ];
  assert.deepEqual(differences(ODD, savedAs(ODD, deciding(changes))), [
    `${at("7\tveces")} 3: NOUN > NUM`,
    `${at("1\tCats")} 6: 2 > 0`,
    `${at("1\tCats")} 7: nsubj > root`,
    `${at("11\tpart11")} 6: 10 > 1`,
    `${at("11\tpart11")} 7: dep > flat`,
  ]);
});

test("what cannot be read is kept, and told with its line", () => {
  const { sentences, unread } = conlluFile("a.conllu", ODD);
  assert.equal(sentences.length, 3);
  assert.deepEqual(unread, [`line ${ODD.split("\n").indexOf(row("1", "too", "few")) + 1} has 3 columns and not 10`]);
});

test("all files at hand are the same after opening and saving, and a correction in each sentence changes its row", (t) => {
  for (const name of treebanksAtHand(t)) {
    const contents = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(name));
    assert.ok(savedAs(contents) === contents, name);
    const end = contents.indexOf("\n\n", 200_000);
    const part = end < 0 ? contents : contents.slice(0, end + 2);
    let count = 0;
    const tagging = (drawn: Drawn) => {
      count = drawn.length;
      return deciding(drawn.map(({ tree }) => [1 + (tree.words.length >> 1), { tag: "NONE" }] as const))(drawn);
    };
    const changed = differences(part, savedAs(part, tagging));
    assert.ok(
      changed.every((one) => /^\d+ 3: .* > NONE$/.test(one)),
      name,
    );
    assert.equal(changed.length, count, name);
  }
});
