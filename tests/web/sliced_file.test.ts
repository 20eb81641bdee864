/** Files that are read in slices: their parts are whole sentences, and together the file. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { conlluFile } from "../../web/source/page/conllu_files.ts";
import { opened } from "../../web/source/page/file_annotations.ts";
import { savedConllu } from "../../web/source/page/saved_conllu.ts";
import { PartFinder, SlicedFile, type FilePart } from "../../web/source/page/sliced_file.ts";
import { treebanksAtHand } from "./treebanks_at_hand.ts";

const ENCODER = new TextEncoder();

function sentence(number: number, newline: string): string {
  const rows = [
    `# text = Ärger ${number}`,
    ...["Ärger", number].map((form, at) => `${at + 1}\t${form}\t_\tX\t_\t_\t${at}\t_\t_\t_`),
  ];
  return [...rows, number % 7 ? "" : " \t", ""].join(newline);
}

function fileOf(count: number, newline = "\n"): string {
  return `# a comment alone${newline}${newline}${Array.from({ length: count }, (_, at) => sentence(at, newline)).join("")}`;
}

function partsBy(bytes: Uint8Array, size: number): FilePart[] {
  const finder = new PartFinder();
  const parts: FilePart[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(...finder.take(bytes.subarray(at, at + size)));
  return [...parts, ...finder.end()];
}

/** The first thing that is not as it should be, of a file in parts. */
async function faultOf(sliced: SlicedFile, contents: string): Promise<string | null> {
  let [text, before, line] = ["", 0, 1];
  for (let part = await sliced.part(0); part; part = await sliced.part(part.number + 1)) {
    const own = await sliced.textOf(part);
    const file = conlluFile("a.conllu", own, part.line);
    if (part.before !== before || part.line !== line) return `part ${part.number} has other numbers`;
    if (file.sentences.length !== part.count) return `part ${part.number} has ${file.sentences.length} sentences`;
    if (savedConllu(opened(file).text, [], opened(file).annotations).contents !== own) return `part ${part.number}`;
    text += own;
    before += part.count;
    line += own.split("\n").length - 1;
  }
  return text === contents ? null : "all parts";
}

for (const newline of ["\n", "\r\n"])
  for (const end of ["", "\n", "1\tno\tend\t_\t_\t_\t_\t_\t_\t_"])
    test(`parts are the same whatever the slices are: ${JSON.stringify([newline, end])}`, async () => {
      const contents = `\uFEFF${fileOf(450, newline)}${end}`;
      const bytes = ENCODER.encode(contents);
      const parts = partsBy(bytes, bytes.length);
      assert.deepEqual(
        parts.map(({ count }) => count),
        [200, 200, end.length > 1 ? 51 : 50],
      );
      for (const size of [1, 7, 1000, 65536]) assert.deepEqual(partsBy(bytes, size), parts);
      assert.equal(await faultOf(new SlicedFile("a.conllu", new Blob([bytes])), contents), null);
    });

test("a file with some parts rewritten has all others as they were", async () => {
  const sliced = new SlicedFile("a.conllu", new Blob([fileOf(450)]));
  const second = (await sliced.part(1))!;
  const text = await sliced.textOf(second);
  const saved = await (await sliced.with(new Map([[1, "other\n\n"]]))).text();
  assert.equal(saved, fileOf(450).replace(text, "other\n\n"));
  assert.equal((await sliced.partWith(399))?.number, 1);
  assert.equal((await sliced.partWith(400))?.number, 2);
  assert.equal(await sliced.partWith(450), null);
  assert.equal(sliced.count, 450);
});

test("a file of nothing has no parts", async () => {
  assert.equal(await new SlicedFile("a.conllu", new Blob([])).part(0), null);
});

test("all files at hand are the same in parts", async (t) => {
  for (const name of treebanksAtHand(t)) {
    const bytes = readFileSync(name);
    const sliced = new SlicedFile(name, new Blob([bytes]));
    const contents = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    assert.equal(await faultOf(sliced, contents), null, name);
  }
});
