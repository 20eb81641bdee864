/** Which tokens of a sentence of a file still stand in a text that was edited, and where. */

import type { Span } from "../client/index.ts";
import type { PlacedFileSentence } from "./file_annotations.ts";
import type { Piece } from "./pieces.ts";

/**
 * The places of the tokens that stand whole, by their numbers. A token that was replaced and comes back between the
 * tokens beside it stands again.
 */
export function standingTokens(text: string, part: PlacedFileSentence, piece: Piece): (Span | null)[] {
  const { sentence } = part;
  const forms = sentence.tokens.map((span) => span && sentence.text.slice(span.from, span.to));
  const spans = placesNow(part).map((span, number) =>
    span && text.slice(span.from, span.to) === forms[number] && isWithin(span, piece) ? span : null,
  );
  dropTorn(spans, sentence.tokens, text, piece);
  findAgain(spans, forms, text, piece, boundsOf(part, piece));
  return spans;
}

/** Where the tokens of a sentence have been moved to, and what is left of them; null for one of which nothing is. */
export function placesNow({ sentence, from, words }: PlacedFileSentence): (Span | null)[] {
  const spans = sentence.tokens.map((): Span | null => null);
  for (const word of words) spans[word.number] = { from: from + word.from, to: from + word.to };
  return spans;
}

/** Where a token of a sentence may stand: not in other sentences of the file. */
function boundsOf(part: PlacedFileSentence, { from, to, parts }: Piece): Span {
  const place = parts.indexOf(part);
  return { from: Math.max(from, parts[place - 1]?.to ?? 0), to: Math.min(to, parts[place + 1]?.from ?? Infinity) };
}

function isWithin(one: Span, { from, to }: Span): boolean {
  return from <= one.from && one.to <= to;
}

/** Drops the tokens that have become a part of a longer one. */
function dropTorn(spans: (Span | null)[], before: readonly (Span | null)[], text: string, { words }: Piece): void {
  const starts = new Set(words.map(({ from }) => from));
  const ends = new Set(words.map(({ to }) => to));
  const isJoined = (number: number) => {
    const [one, next, old, oldNext] = [spans[number], spans[number + 1], before[number], before[number + 1]];
    return !!one && !!next && one.to === next.from && old?.to === oldNext?.from;
  };
  const isWhole = ({ from, to }: Span, number: number) =>
    (isEdge(text[from - 1]) || starts.has(from) || isJoined(number - 1)) &&
    (isEdge(text[to]) || ends.has(to) || isJoined(number));
  const torn = () => spans.findIndex((span, number) => span && !isWhole(span, number));
  for (let number = torn(); number >= 0; number = torn()) spans[number] = null;
}

function isEdge(character: string | undefined): boolean {
  return character === undefined || /\s/.test(character);
}

function findAgain(
  spans: (Span | null)[],
  forms: readonly (string | null)[],
  text: string,
  { words }: Piece,
  bounds: Span,
): void {
  let next = 0; // number of a token
  for (const { from } of words.filter((word) => isWithin(word, bounds))) {
    const stands = spans.findLastIndex((span) => span && span.from <= from);
    if (stands >= 0 && spans[stands]!.to > from) continue;
    next = Math.max(next, stands + 1);
    for (let number = next; number < spans.length && !spans[number]; number++) {
      const span = { from, to: from + (forms[number] ?? "").length };
      if (span.to === from || !text.startsWith(forms[number]!, from) || !isFree(span, words, bounds)) continue;
      spans[number] = span;
      next = number + 1;
      break;
    }
  }
}

/** Whether a span ends with a word. */
function isFree(span: Span, words: Piece["words"], bounds: Span): boolean {
  return isWithin(span, bounds) && words.some(({ to }) => to === span.to);
}
