/**
 * Splits source/texts/texts.json, which has every text in all languages, into what each reader loads: the English ones
 * go into the bundles and into index.html, those of another language into a file of their own.
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

/** Modules of these folders, or what imports `…_texts.ts`, have their own texts, all others those that are not in index.html alone. */
const OWN = ["tree", "moments", "practice", "sentences", "steps"];

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
  return (
    OWN.find((folder) => importer.includes(`/source/${folder}/`) || importer.endsWith(`/${folder}_texts.ts`)) ?? "page"
  );
}

/** A file for each language but English, and one with the names of tags and relations in it. */
export async function translations(here) {
  const { texts, names } = await readTexts(here);
  const [first] = Object.values(texts);
  const others = Object.keys(first).filter((language) => language !== ENGLISH);
  const files = others.flatMap((language) => {
    const named = Object.entries(names).map(([kind, entries]) => [kind, inLanguage(entries, language)]);
    return [
      [`texts-${language}.json`, inLanguage(texts, language)],
      [`names-${language}.json`, Object.fromEntries(named)],
    ];
  });
  return files.map(([name, contents]) => [name, Buffer.from(JSON.stringify(contents))]);
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
