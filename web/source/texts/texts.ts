/** Texts in the language of the reader: looked up by key, with values filled in, and numbers and lists as it has them. */

/** A plural has a form for each kind of number that its language tells apart, of which `count` says which. */
export type Phrase = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;
export type Phrases = Readonly<Record<string, Phrase>>;
/** Numbers are written as the language does it; what stands as a string is left as it is. */
export type Values = Readonly<Record<string, string | number>>;

/** What is unlike the usual form of a language: lists in British English have no comma before "and". */
const LOCALES: Readonly<Record<string, string>> = { en: "en-GB" };

let spoken = "en";
let translated: Phrases = {};
/** Of the language that is spoken: making one takes longer than using it many times. */
const formatters = new Map<string, unknown>();

/** From now on texts are in a language; those that it lacks are in English. */
export function speak(language: string, phrases: Phrases): void {
  spoken = language;
  formatters.clear();
  translated = phrases;
}

/** The code of the language of the reader. */
export function language(): string {
  return spoken;
}

/** A function that tells texts by their keys, of which it has the English ones itself. */
export function textsOf<Key extends string>(english: Phrases): (key: Key, values?: Values) => string {
  return (key, values = {}) => filled(translated[key] ?? english[key]!, values);
}

export function number(value: number, options: Intl.NumberFormatOptions = {}): string {
  const formatter = formatterOf("number", options, () => new Intl.NumberFormat(locale(), options));
  return formatter.format(value);
}

export function percent(share: number, digits = 0): string {
  return number(share, { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** "a, b and c", or "a, b or c". */
export function listed(items: readonly string[], type: "conjunction" | "disjunction" = "conjunction"): string {
  return formatterOf("list", type, () => new Intl.ListFormat(locale(), { type })).format(items);
}

/** A day with its time, as the reader's own browser writes it where that speaks the language. */
export function moment(time: number): string {
  const own = navigator.languages.find((tag) => tag.split("-")[0] === spoken) ?? spoken;
  return new Date(time).toLocaleString(own, { dateStyle: "medium", timeStyle: "short" });
}

/** The name of a language by its code. */
export function languageName(code: string): string {
  const names = formatterOf("names", null, () => new Intl.DisplayNames([spoken], { type: "language" }));
  return (code && names.of(code)) || code;
}

function formatterOf<Formatter>(kind: string, options: unknown, make: () => Formatter): Formatter {
  const key = JSON.stringify([kind, options]);
  if (!formatters.has(key)) formatters.set(key, make());
  return formatters.get(key) as Formatter;
}

function locale(): string {
  return LOCALES[spoken] ?? spoken;
}

/** A text that is told with some values, with elements in the place of some of them. */
export function filledWith(
  parts: Readonly<Record<string, string | HTMLElement>>,
  told: (names: Values) => string,
): (string | HTMLElement)[] {
  const names = Object.fromEntries(Object.keys(parts).map((name) => [name, `{${name}}`]));
  const pieces = told(names).split(/\{(\w+)\}/);
  return pieces.map((piece, place) => (place % 2 ? parts[piece]! : piece)).filter((piece) => piece !== "");
}

function filled(phrase: Phrase, values: Values): string {
  return formOf(phrase, Number(values.count)).replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? "";
    return typeof value === "number" ? number(value) : value;
  });
}

function formOf(phrase: Phrase, count: number): string {
  if (typeof phrase === "string") return phrase;
  const rules = formatterOf("plural", null, () => new Intl.PluralRules(spoken));
  return phrase[rules.select(count)] ?? phrase.other ?? "";
}
