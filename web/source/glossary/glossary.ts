/**
 * Relations, tags, features and phrases in words, in the language of the reader, from a file that is fetched when it is
 * first wanted.
 */

import { language } from "../texts/texts.ts";

/** In examples the word that is meant stands between asterisks; "[hu] " says that one is Hungarian. */
export type Entry = readonly [name: string, says: string, example: string];

type Entries = Readonly<Record<string, Entry>>;

/** What a file of texts has. */
export interface Texts {
  /** Of features that speak of somebody else than the word, as "psor" of its possessor. */
  readonly layers: Readonly<Record<string, string>>;
  readonly tags: Entries;
  readonly relations: Entries;
  readonly features: Entries;
  readonly phrases: Entries;
}

/** Something that a tree says of a word, with what there is to say about that. */
export interface Explained {
  readonly sign: string;
  readonly entry: Entry | null;
}

export class Glossary {
  constructor(private readonly texts: Texts) {}

  tag(tag: string): Entry | null {
    return this.texts.tags[tag] ?? null;
  }

  /** A subtype of which nothing is known is explained as what it is a kind of. */
  relation(label: string): Entry | null {
    const { relations } = this.texts;
    return relations[label] ?? relations[label.split(":")[0]!] ?? null;
  }

  phrase(label: string): Entry | null {
    return this.texts.phrases[label.split("-")[0]!] ?? null;
  }

  /** Of one value: "Case=Acc", or "Number[psor]=Sing", which is explained as "Number=Sing" of its possessor. */
  feature(feature: string): Entry | null {
    const { features } = this.texts;
    const [, name = "", layer = "", value = ""] = /^([^[=]+)(?:\[([^\]]+)\])?=(.*)$/.exec(feature) ?? [];
    const plain = `${name}=${value.charAt(0).toUpperCase()}${value.slice(1)}`;
    const entry = features[feature] ?? features[plain] ?? features[name];
    if (!entry || !layer || features[feature]) return entry ?? null;
    return [`${entry[0]} ${this.texts.layers[layer] ?? `(${layer})`}`, entry[1], entry[2]];
  }

  /** Of all features of a word, several values of one apart. */
  features(features: string): Explained[] {
    if (!features || features === "_") return [];
    const values = features.split("|").flatMap((feature) => {
      const [name, ...value] = feature.split("=");
      return value
        .join("=")
        .split(",")
        .map((one) => `${name}=${one}`);
    });
    return values.map((sign) => ({ sign, entry: this.feature(sign) }));
  }
}

let fetched: Promise<Glossary> | null = null;

/** The glossary, which stays; it is asked for again where it could not be had. */
export function glossary(): Promise<Glossary> {
  fetched ??= fetchTexts().catch((error: unknown) => {
    fetched = null;
    throw error;
  });
  return fetched;
}

async function fetchTexts(): Promise<Glossary> {
  const response = await fetch(`glossary-${language()}.json`);
  if (!response.ok) throw new Error(response.statusText);
  return new Glossary((await response.json()) as Texts);
}
