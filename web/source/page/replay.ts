/** Replay: types a text anew, at the speed of typing or of speech. */

import { part, type Page } from "./page_parts.ts";

const EXAMPLE =
  "The old woman who lives by the river gave her neighbour a letter. He read it twice before he understood " +
  "that the house had been sold.";

const LETTERS_A_WORD = 5; // the space included, as typists count

/** Writes a text anew, piece by piece; a hand that types in between stops it. */
export function offerReplay({ editor }: Page): void {
  const button = part<HTMLButtonElement>("replay");
  const speed = part<HTMLSelectElement>("replay-speed");
  let timer = 0;
  let pieces: string[] = [];
  let length = 0;
  const end = () => {
    clearTimeout(timer);
    timer = 0;
    button.textContent = "Replay";
  };
  const type = () => {
    const piece = pieces.shift();
    if (piece === undefined || editor.state.doc.length !== length) return end();
    editor.dispatch({
      changes: { from: length, insert: piece },
      selection: { anchor: length + piece.length },
      scrollIntoView: true,
    });
    length += piece.length;
    timer = window.setTimeout(type, waitAfter(piece, speed.value));
  };
  button.onclick = () => {
    if (timer) return end();
    pieces = piecesOf(editor.state.doc.toString().trim() || EXAMPLE, speed.value);
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: "" } });
    length = 0;
    button.textContent = "Stop";
    type();
  };
}

/** Speech comes in words, typing in whole characters. */
function piecesOf(text: string, speed: string): string[] {
  if (speed === "speech") return text.match(/\s*\S+/g) ?? [];
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}

/** Milliseconds: speech takes about 160 words a minute, long ones longer. */
function waitAfter(piece: string, speed: string): number {
  return speed === "speech" ? 120 + 55 * piece.trim().length : 60_000 / (LETTERS_A_WORD * Number(speed));
}
