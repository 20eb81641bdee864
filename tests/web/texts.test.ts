import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import test from "node:test";
import type { Phrase } from "../../web/source/texts/texts.ts";

const LANGUAGES = ["en", "de", "pt", "es", "fr", "nl", "af"];

const source = new URL("../../web/source/", import.meta.url);
const { texts } = JSON.parse(await readFile(new URL("texts/texts.json", source), "utf8")) as {
  texts: Record<string, Record<string, Phrase>>;
};
const entries = Object.entries(texts);
const page = await readFile(new URL("page/index.html", source), "utf8");

/** All modules of some folders, by their paths. */
async function modulesOf(...folders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const names = await Promise.all(
    folders.map(async (folder) => {
      const files = await readdir(new URL(`${folder}/`, source));
      return files.filter((name) => name.endsWith(".ts")).map((name) => `${folder}/${name}`);
    }),
  );
  const read = names.flat().map(async (name) => [name, await readFile(new URL(name, source), "utf8")] as const);
  return new Map(await Promise.all(read));
}

function formsOf(phrase: Phrase): string[] {
  return typeof phrase === "string" ? [phrase] : Object.values(phrase);
}

/** What is filled in, and which keys are named. */
function placesIn(text: string): string[] {
  return [...text.matchAll(/\{\w+\}|<kbd>.*?<\/kbd>/g)].map(([place]) => place).sort();
}

test("every text is there in all languages", () => {
  for (const [key, entry] of entries) {
    assert.deepEqual(Object.keys(entry), LANGUAGES, key);
    for (const phrase of Object.values(entry)) for (const form of formsOf(phrase)) assert.match(form, /\S/, key);
  }
});

test("every language fills the same values into a text, and a plural leaves out its number at most", () => {
  for (const [key, entry] of entries) {
    const wanted = placesIn(formsOf(entry.en!).at(-1)!);
    for (const phrase of Object.values(entry)) {
      if (typeof phrase !== "string") assert.deepEqual(Object.keys(phrase), ["one", "other"], key);
      const [one, other = one] = formsOf(phrase);
      assert.deepEqual(placesIn(other!), wanted, key);
      const missing = wanted.filter((place) => !placesIn(one!).includes(place));
      assert.ok(missing.every((place) => place === "{count}") && placesIn(one!).length >= wanted.length - 1, key);
    }
  }
});

test("every text is used, and only texts that are there are", async () => {
  const modules = [...(await modulesOf("page", "tree")).values()].join("\n");
  const inPage = new Set([...page.matchAll(/\{([\w.-]+)\}/g)].map(([, key]) => key!));
  for (const [key] of entries) assert.ok(inPage.has(key) || modules.includes(`"${key}"`), `${key} is used nowhere`);
  for (const key of inPage) assert.ok(key in texts, `index.html has ${key}`);
});

test("index.html has no words but those of the texts", () => {
  const pieces = page.replace(/<!--.*?-->/gs, "").split(/<[^>]*>/);
  const names = /^(treewhile|SVG|PNG|[A-Z])$/;
  const left = pieces.map((piece) => piece.replace(/\{[\w.-]+\}/g, "").trim());
  assert.deepEqual(
    left.filter((piece) => /\p{L}/u.test(piece) && !names.test(piece)),
    [],
  );
  const attributes = page.matchAll(/\s(aria-label|aria-description|title|placeholder|alt|label)="([^"]*)"/g);
  for (const [, name, told] of attributes) assert.match(told!, /^(\{[\w.-]+\})?$/, name);
});
