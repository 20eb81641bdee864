import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import test from "node:test";
import type { Texts } from "../../web/source/glossary/glossary.ts";
import { language, listed, number, percent, speak, textsOf, type Phrase } from "../../web/source/texts/texts.ts";

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

test("formatters are made once for each language", (t) => {
  const made = t.mock.method(Intl, "NumberFormat");
  const rules = t.mock.method(Intl, "PluralRules");
  const lists = t.mock.method(Intl, "ListFormat");
  const text = textsOf<"words">({ words: { one: "{count} word", other: "{count} words" } });
  const say = () => [number(1234.5), percent(0.5), listed(["a", "b"]), text("words", { count: 2 })];
  const told = ["de", "en"].map((code) => {
    speak(code, {});
    assert.deepEqual(say(), say());
    return say()[0];
  });
  assert.deepEqual(told, ["1.234,5", "1,234.5"]);
  assert.deepEqual(
    [made, rules, lists].map(({ mock }) => mock.callCount()),
    [4, 2, 2],
  );
});

test("the glossaries of all languages explain the same, each in its own words", async () => {
  const read = async (code: string) =>
    JSON.parse(await readFile(new URL(`glossary/${code}.json`, source), "utf8")) as Texts;
  const english = await read("en");
  for (const code of LANGUAGES) {
    const { layers, ...entries } = await read(code);
    assert.deepEqual(Object.keys(layers), Object.keys(english.layers), code);
    for (const [kind, own] of Object.entries(entries)) {
      const known = english[kind as keyof typeof entries];
      assert.deepEqual(Object.keys(own), Object.keys(known), `${code} ${kind}`);
      for (const [sign, [name, says, example]] of Object.entries(own)) {
        assert.match(name, /\S/, `${code} ${sign}`);
        assert.match(says, /\S\.$/, `${code} ${sign}`);
        assert.ok(code === "en" || says !== known[sign]![1], `${code} ${sign} is English`);
        assert.match(example, sign === "_" ? /^/ : /^(\[\w+\] )?[^*]*\*[^*]+\*[^*]*/, `${code} ${sign}`);
        assert.ok(!example.startsWith(`[${code}] `), `${code} ${sign} is marked as the reader's language`);
      }
    }
  }
});

test("texts are filled in as their language writes numbers, lists and plurals; what it lacks is in English", () => {
  const text = textsOf({
    left: { one: "{count} word of {all}", other: "{count} words of {all}" },
    end: "end of {name}",
  });
  assert.equal(text("left", { count: 1, all: 2000 }), "1 word of 2,000");
  assert.equal(text("left", { count: 0, all: "2000" }), "0 words of 2000");
  assert.equal(listed(["a", "b", "c"]), "a, b and c");
  speak("fr", { left: { one: "{count} mot sur {all}", other: "{count} mots sur {all}" } });
  try {
    assert.equal(language(), "fr");
    assert.equal(text("left", { count: 0, all: 2000 }), "0 mot sur 2\u202f000");
    assert.equal(text("end", { name: "a" }), "end of a");
    assert.equal(listed(["a", "b", "c"], "disjunction"), "a, b ou c");
    assert.equal(number(0.5), "0,5");
    assert.match(percent(0.25), /^25\s%$/);
  } finally {
    speak("en", {});
  }
});

test("every text is used, and only texts that are there are", async () => {
  const modules = [
    ...(await modulesOf("page", "tree", "moments", "practice", "steps", "look", "sharing", "sentences")).values(),
  ].join("\n");
  const begun = [...modules.matchAll(/text\(`([\w.-]+\.)\$\{/g)].map(([, beginning]) => beginning!);
  const inModules = (key: string) => modules.includes(`"${key}"`) || begun.some((one) => key.startsWith(one));
  const inPage = new Set([...page.matchAll(/\{([\w.-]+)\}/g)].map(([, key]) => key!));
  for (const [key] of entries) assert.ok(inPage.has(key) || inModules(key), `${key} is used nowhere`);
  for (const key of inPage) assert.ok(key in texts, `index.html has ${key}`);
  for (const [, key] of modules.matchAll(/\btext(?:With)?\("([\w.-]+)"/g))
    assert.ok(key! in texts, `a module has ${key}`);
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

// --- what stands outside of the texts -----------------------------------------------------------------------

/** A string of a module, or a piece of a template between what is filled in, and what stands before it. */
interface Literal {
  readonly value: string;
  readonly before: string;
}

/** All strings of a module; comments, regular expressions, and what is imported have none. */
function* literalsIn(module: string): Generator<Literal> {
  const token =
    /\/\/[^\n]*|\/\*.*?\*\/|(?<=[(,=:[!&|?{};\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+\/\w*|"(?:\\.|[^"\\\n])*"|`/gs;
  for (let at = 0; ;) {
    token.lastIndex = at;
    const found = token.exec(module);
    if (!found) return;
    const before = module.slice(Math.max(0, found.index - 120), found.index);
    at = token.lastIndex;
    if (found[0].startsWith('"') && !/\b(from|import) $/.test(before)) yield { value: found[0].slice(1, -1), before };
    if (found[0] !== "`") continue;
    const end = endOfTemplate(module, at);
    yield* piecesOf(module.slice(at, end), before);
    at = end + 1;
  }
}

/** Where a template ends that begins at a place; others may stand in it. */
function endOfTemplate(module: string, start: number): number {
  let depth = 0;
  for (let at = start; at < module.length; at++) {
    if (module[at] === "\\") at++;
    else if (module.startsWith("${", at)) [depth, at] = [depth + 1, at + 1];
    else if (depth && module[at] === "{") depth++;
    else if (depth && module[at] === "}") depth--;
    else if (module[at] === "`" && depth) at = endOfTemplate(module, at + 1);
    else if (module[at] === "`") return at;
  }
  throw new Error("a template has no end");
}

function* piecesOf(template: string, before: string): Generator<Literal> {
  let [depth, piece, inside] = [0, "", ""];
  for (let at = 0; at < template.length; at++) {
    if (!depth && template.startsWith("${", at)) [depth, at, inside] = [1, at + 1, ""];
    else if (!depth) piece += template[at];
    else {
      if (template[at] === "{") depth++;
      if (template[at] === "}" && --depth === 0) {
        yield* literalsIn(inside);
        piece += "\0";
      }
      inside += template[at];
    }
  }
  yield { value: piece, before };
}

/** Names of keys, of events' targets and of columns, and kinds that modules tell each other, none of which is shown. */
const CODE =
  /^(Enter|Escape|Delete|Backspace|Home|End|Page(Up|Down)|Arrow(Up|Down|Left|Right)|[A-Z]|(Typo|Poss)=Yes|Polarity=Neg|SpaceAfter=No|too long|called off|getting better|use strict)$/;
/** Styles, selectors, and SVG. */
const MARKUP = /\n.*[{}]|^[.#:>([]|\b\d+(\.\d+)?(px|em)\b|var\(--|^\0? ?\0px|^(translate|@supports)\b.*\(|^<\/?\w|="/s;
/** Examples are in the language of the text, grammars in theirs; tags and relations are the same everywhere. */
const OF_TEXTS = new Set(["page/examples.ts", "page/grammar_texts.ts", "practice/practice_sentences.ts"]);
const SIGNS = new Set(
  (
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X acl advcl advmod amod appos aux case " +
    "cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed flat goeswith iobj list mark nmod nsubj " +
    "nummod obj obl orphan parataxis punct reparandum root vocative xcomp"
  ).split(" "),
);
/** Names of events, classes of elements, keys of what is pointed at, decorations, LaTeX, and the language of grammars. */
const NOT_SHOWN =
  /^(tree\/(drawing|head_dragging|phrase_tree|sureness): \0? ?(current|lit|named|stable|moving|conflict|tagged|ghost|impossible|(line|label) stable|word current|sure-\0)|tree\/pointing: (word|arc) \0|tree\/dep_tree: ((head|label|word)(chosen|hindered)|zoomed)|tree\/end_names:  (stable|framed)|tree\/latex: \{\\\\footnotesize \0\}|tree\/head_dragging: \\u2715|extension\/marks: underline (dotted|wavy)|page\/grammar_editor: (include \0\\n|.* or X\.lower = .*|.*penalty \0 1\\n))$/;
const SHOWN_BY =
  /(textContent|innerText|\btitle|placeholder|ariaLabel|\blabel:|"aria-label",|"title",|\btell\(|\bnew Option\()[\s=:(]*$/;

function isProse({ value, before }: Literal): boolean {
  const words = value.trim().split(/\s+/);
  if (CODE.test(value) || words.every((word) => SIGNS.has(word)) || /new (\w*Error)\($/.test(before)) return false;
  if (SHOWN_BY.test(before)) return /\p{L}/u.test(value.replaceAll("\0", ""));
  if (MARKUP.test(value)) return false;
  return /^\p{Lu}\p{Ll}/u.test(value) || /\p{L}{2}\s|\s\p{L}{2}/u.test(value);
}

test("a string with words is told from one without", () => {
  const proseIn = (module: string) => [...literalsIn(module)].filter(isProse).map(({ value }) => value);
  assert.deepEqual(proseIn('tell("gone"); x = "Gone"; // "No comment"'), ["gone", "Gone"]);
  assert.deepEqual(proseIn("x = `${count} words of ${`the ${kind}`}`;"), ["the \0", "\0 words of \0"]);
  assert.deepEqual(proseIn('import { a } from "Some where"; part("gone").hidden = /"It is"/.test(a);'), []);
  assert.deepEqual(proseIn('element.textContent = `${left} s`; label = text("key");'), ["\0 s"]);
});

test("modules of the page and of the tree have no words but those of the texts", async () => {
  const left = [
    ...(await modulesOf(
      "page",
      "tree",
      "extension",
      "glossary",
      "moments",
      "practice",
      "steps",
      "look",
      "sharing",
      "sentences",
    )),
  ].flatMap(([name, module]) =>
    OF_TEXTS.has(name)
      ? []
      : [...literalsIn(module)].filter(isProse).map(({ value }) => `${name.slice(0, -3)}: ${value}`),
  );
  assert.deepEqual(
    left.filter((told) => !NOT_SHOWN.test(told)),
    [],
  );
});
