/** Edits as a server takes them: half a surrogate pair never goes over the wire. */

export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** The text, with U+FFFD for each half of a pair that stands alone; its length is the same. */
export function withoutHalves(text: string): string {
  return text.replace(LONE, "\uFFFD");
}

/** The edit that leads from one text to the other, both without halves, and touches the place of a given one. */
export function wholeEdit(before: string, after: string, edit: TextEdit): TextEdit {
  const inserted = edit.text.length;
  const start = edit.start - Number(cutsPair(before, edit.start) || cutsPair(after, edit.start));
  const wider = Number(cutsPair(before, edit.end) || cutsPair(after, edit.start + inserted));
  const text = withoutHalves(after.slice(start, edit.start + inserted + wider));
  return { start, end: edit.end + wider, text };
}

function cutsPair(text: string, at: number): boolean {
  return isBetween(text.charCodeAt(at - 1), 0xd800) && isBetween(text.charCodeAt(at), 0xdc00);
}

function isBetween(unit: number, first: number): boolean {
  return unit >= first && unit < first + 0x400;
}
