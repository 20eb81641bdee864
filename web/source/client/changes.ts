/** Changes of a text, in units of UTF-16, and where they move positions and spans. */

/** `inserted` units take the place of what stood from `from` to `to`. */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly inserted: number;
}

/** A change with the text that it inserts. */
export interface TextChange extends Change {
  readonly text: string;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where a position is after a change; one that the change touches goes to its begin (-1) or its end (1). */
export function mapPosition(position: number, side: -1 | 1, change: Change): number {
  if (position < change.from) return position;
  if (position > change.to) return position + growth(change);
  return side < 0 ? change.from : change.from + change.inserted;
}

/** What is left of a span, without text inserted beside it; null if nothing is left. */
export function mapSpan(span: Span, change: Change): Span | null {
  const from = mapPosition(span.from, 1, change);
  const to = mapPosition(span.to, -1, change);
  return from < to ? { from, to } : null;
}

/** A replacement without what it leaves as it was at its begin and at its end; null if it changes nothing. */
export function smallestEdit(from: number, replaced: string, inserted: string): TextChange | null {
  const most = Math.min(replaced.length, inserted.length);
  let [before, behind] = [0, 0];
  while (before < most && replaced[before] === inserted[before]) before++;
  while (behind < most - before && replaced.at(-1 - behind) === inserted.at(-1 - behind)) behind++;
  const text = inserted.slice(before, inserted.length - behind);
  const edit = { from: from + before, to: from + replaced.length - behind, inserted: text.length, text };
  return edit.from === edit.to && !text ? null : edit;
}

/** By how much a change makes a text longer. */
export function growth(change: Change): number {
  return change.inserted - (change.to - change.from);
}
