/** Edits as a server takes them: neither half a surrogate pair nor a control character ever goes over the wire. */

export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Line ends of other kinds: a vertical tab, as word processors hand it over, a form feed, NEL. */
const BREAKS = /[\v\f\x85]/g;
/** Control characters that are no white space: servers refuse them. */
const CONTROLS = /[\0-\x08\x0E-\x1F\x7F-\x84\x86-\x9F]/g;

/** The text without control characters: tabs and line ends stay, those of other kinds become line ends. */
export function withoutControls(text: string): string {
  return text.replace(BREAKS, "\n").replace(CONTROLS, "");
}

/** The text, with U+FFFD for each half of a pair that stands alone and each control character, of the same length. */
export function sendable(text: string): string {
  return text.replace(LONE, "\uFFFD").replace(CONTROLS, "\uFFFD");
}

/** The edit that leads from one text to the other, both sendable, and touches the place of a given one. */
export function wholeEdit(before: string, after: string, edit: TextEdit): TextEdit {
  const inserted = edit.text.length;
  const start = edit.start - Number(cutsPair(before, edit.start) || cutsPair(after, edit.start));
  const wider = Number(cutsPair(before, edit.end) || cutsPair(after, edit.start + inserted));
  const text = sendable(after.slice(start, edit.start + inserted + wider));
  return { start, end: edit.end + wider, text };
}

function cutsPair(text: string, at: number): boolean {
  return isBetween(text.charCodeAt(at - 1), 0xd800) && isBetween(text.charCodeAt(at), 0xdc00);
}

function isBetween(unit: number, first: number): boolean {
  return unit >= first && unit < first + 0x400;
}
