/**
 * Splits source/texts/texts.json, which has every text in all languages, into what each reader loads: the English ones
 * go into the bundles and into index.html, those of another language into a file of their own, as glossaries are.
 */

import { readFile } from "node:fs/promises";

const ENGLISH = "en";
const KEY = /\{([\w.-]+)\}/g;

export async function readTexts(here) {
  return JSON.parse(await readFile(`${here}source/texts/texts.json`, "utf8"));
}

function inLanguage(texts, language) {
  return Object.fromEntries(Object.entries(texts).map(([key, entry]) => [key, entry[language]]));
}

/** Modules of these folders have their own texts, all others those that are not in index.html alone. */
const OWN = ["tree", "moments", "practice", "steps", "look", "sharing", "sentences"];

export function textsPlugin(here) {
  return {
    name: "texts",
    setup(build) {
      build.onResolve({ filter: /texts\/texts\.json$/ }, ({ importer }) => {
        return { path: `${here}source/texts/texts.json`, suffix: `?${ownerOf(importer)}` };
      });
      build.onLoad({ filter: /texts\/texts\.json$/ }, async ({ suffix }) => {
        const { texts } = await readTexts(here);
        const owner = suffix.slice(1);
        const isOwned = (key) => ["page", ...OWN].some((one) => key.startsWith(`${one}.`));
        const isWanted = (key) => (owner === "page" ? !isOwned(key) : key.startsWith(`${owner}.`));
        const wanted = Object.entries(inLanguage(texts, ENGLISH)).filter(([key]) => isWanted(key));
        return { contents: JSON.stringify(Object.fromEntries(wanted)), loader: "json" };
      });
    },
  };
}

function ownerOf(importer) {
  return OWN.find((folder) => importer.includes(`/source/${folder}/`)) ?? "page";
}

/** The texts of each language but English, and the glossaries of all. */
export async function textFiles(here) {
  const { texts } = await readTexts(here);
  const languages = Object.keys(Object.values(texts)[0]);
  const others = languages.filter((language) => language !== ENGLISH);
  const glossaries = languages.map(async (language) => {
    const contents = await readFile(`${here}source/glossary/${language}.json`, "utf8");
    return [`glossary-${language}.json`, JSON.parse(contents)];
  });
  const files = [
    ...others.map((language) => [`texts-${language}.json`, inLanguage(texts, language)]),
    ...(await Promise.all(glossaries)),
  ];
  return files.map(([name, contents]) => [name, Buffer.from(JSON.stringify(contents))]);
}

/** A module for those who embed trees, and its types: what the tree elements say, in each language. */
export function textsOfTrees({ texts }) {
  const ofTrees = Object.fromEntries(Object.entries(texts).filter(([key]) => key.startsWith("tree.")));
  const languages = Object.keys(Object.values(texts)[0]);
  const exported = languages.map((code) => `export const ${code} = ${JSON.stringify(inLanguage(ofTrees, code))};\n`);
  const typed = languages.map((code) => `export declare const ${code}: Texts;\n`);
  return [
    ["tree-texts.js", exported.join("")],
    ["tree-texts.d.ts", `import type { Texts } from "./types/tree/index.js";\n${typed.join("")}`],
  ];
}

/**
 * The page in English. Comments say which text stands where, up to <!--/--> or else to the end of its element;
 * data-texts says the same of attributes.
 */
export function filledPage(page, { texts }) {
  const english = inLanguage(texts, ENGLISH);
  const told = (key) => {
    if (typeof english[key] !== "string") throw new Error(`index.html has a text that texts.json lacks: ${key}`);
    return english[key];
  };
  return page
    .replace(/<[a-z][^<>]*\{[^<>]*>/g, (tag) => {
      const keys = [];
      const filled = tag.replace(/([\w-]+)="\{([\w.-]+)\}"/g, (_, name, key) => {
        keys.push(`${name} ${key}`);
        return `${name}="${told(key).replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`;
      });
      return filled.replace(/\s*(\/?>)$/, ` data-texts="${keys.join(" ")}"$1`);
    })
    .replace(KEY, (_, key, at, whole) => {
      const isLast = /^\s*<\//.test(whole.slice(at + key.length + 2));
      return `<!--${key}-->${told(key).replaceAll("&", "&amp;")}${isLast ? "" : "<!--/-->"}`;
    });
}
