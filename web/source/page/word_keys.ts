/** Keys that stand for words: one letter for the nearest, two for those further away, and none begins another. */

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
export const ROOT_KEY = "0";

/** What is pressed, by what it writes and where it lies. */
export type Key = Pick<KeyboardEvent, "key" | "code">;

/** Of all words but one, and of the root. */
export function keysOfWords(count: number, dependent: number): Map<number, string> {
  const others = Array.from({ length: count }, (_, index) => index + 1).filter((number) => number !== dependent);
  const nearest = others.sort((one, other) => Math.abs(one - dependent) - Math.abs(other - dependent) || one - other);
  const codes = codesFor(nearest.length);
  return new Map([
    [0, ROOT_KEY],
    ...nearest.slice(0, codes.length).map((number, index) => pair(number, codes[index]!)),
  ]);
}

/** The letter of a key, whatever the keyboard writes in its place; null for others. */
export function letterOf({ key, code }: Key): string | null {
  if (/^[a-z0-9]$/i.test(key)) return key.toLowerCase();
  const placed = key.length === 1 && /^(?:Key([A-Z])|Digit([0-9]))$/.exec(code);
  return placed ? (placed[1] ?? placed[2])!.toLowerCase() : null;
}

/** So many keys, the short ones first; at most those of two letters. */
function codesFor(count: number): string[] {
  const letters = [...LETTERS];
  let begins = 0; // letters at the end that begin keys of two
  while (begins < letters.length && letters.length - begins + begins * letters.length < count) begins++;
  const short = letters.slice(0, letters.length - begins);
  const long = letters.slice(letters.length - begins).flatMap((first) => letters.map((second) => first + second));
  return [...short, ...long].slice(0, count);
}

function pair(number: number, keys: string): [number, string] {
  return [number, keys];
}
