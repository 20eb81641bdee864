/** Heads of a file that make no tree, in words. */

export interface NumberedWord {
  readonly line: number;
  readonly id: number;
  readonly form: string;
  /** Null where it is not known. */
  readonly head: number | null;
}

export interface Fault {
  readonly told: string;
  /** Whether no parser could make these arcs. */
  readonly isForbidding: boolean;
}

const MOST_NAMED = 5;

/** The first thing that is wrong; null if nothing is. */
export function faultOf(words: readonly NumberedWord[]): Fault | null {
  const told = misnumbered(words) ?? outside(words) ?? circle(words);
  return told ? { told, isForbidding: true } : severalRoots(words);
}

function misnumbered(words: readonly NumberedWord[]): string | null {
  const word = words.find(({ id }, index) => id !== index + 1);
  return word ? `line ${word.line} has the number ${word.id} where ${words.indexOf(word) + 1} has to stand` : null;
}

function outside(words: readonly NumberedWord[]): string | null {
  const word = words.find(({ head }) => head !== null && head > words.length);
  const counted = `the sentence has ${words.length === 1 ? "1 word" : `${words.length} words`}`;
  return word ? `line ${word.line}: the head of "${word.form}" is ${word.head}, but ${counted}` : null;
}

function circle(words: readonly NumberedWord[]): string | null {
  const found = circleIn(words.map(({ head }) => head));
  return found && circleTold(found.map((number) => words[number - 1]!));
}

/** Words whose heads go round in a circle, by their numbers; null if there are none. */
export function circleIn(heads: readonly (number | null)[]): number[] | null {
  const isDone = new Set<number>();
  for (let start = 1; start <= heads.length; start++) {
    const way: number[] = [];
    for (let at = start; at && at <= heads.length && !isDone.has(at); at = heads[at - 1] ?? 0) {
      if (way.includes(at)) return way.slice(way.indexOf(at));
      way.push(at);
    }
    for (const number of way) isDone.add(number);
  }
  return null;
}

function circleTold([first, ...others]: readonly NumberedWord[]): string {
  if (!others.length) return `line ${first!.line}: "${first!.form}" is its own head`;
  return `line ${first!.line}: the heads of ${named([first!, ...others])} go round in a circle`;
}

function severalRoots(words: readonly NumberedWord[]): Fault | null {
  const roots = words.filter(({ head }) => head === 0);
  if (roots.length < 2) return null;
  const told = `line ${roots[1]!.line}: ${named(roots)} are ${roots.length} roots, and a tree has one`;
  return { told, isForbidding: false };
}

function named(words: readonly NumberedWord[]): string {
  const forms = words.slice(0, MOST_NAMED).map(({ form }) => `"${form}"`);
  if (words.length > MOST_NAMED) return `${forms.join(", ")} and ${words.length - MOST_NAMED} more`;
  return `${forms.slice(0, -1).join(", ")} and ${forms.at(-1)}`;
}
