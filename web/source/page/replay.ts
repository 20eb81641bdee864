/** Replay: types the text anew, at the speed of typing or of speech, and puts it back as it was. */

import { Transaction, type EditorState } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { longExample } from "./examples.ts";
import { languageOf } from "./languages.ts";
import { part, replaceText, type Page } from "./page_parts.ts";
import { beginReplay } from "./replaying.ts";
import { text } from "./texts.ts";

const LETTERS_A_WORD = 5; // the space included, as typists count

/** What a hand does to a text; keys that change nothing leave the replay alone. */
const HANDS = ["keydown", "beforeinput", "compositionstart", "paste", "cut", "drop"];
const QUIET_KEYS = /^(Shift|Control|Alt|AltGraph|Meta|CapsLock|Tab|Arrow.*|Home|End|Page.*)$/;

/** Shows how the text comes to be; Stop, and a hand that types, put it back at once. */
export function offerReplay({ client, document: opened, editor, keeper, interrupted, played }: Page): void {
  const button = part<HTMLButtonElement>("replay");
  const speed = part<HTMLSelectElement>("replay-speed");
  let replay: Replay | null = null;
  const stop = () => {
    replay?.end();
    replay = null;
    button.textContent = text("replay.start");
  };
  const start = (speed: string) => {
    const example = longExample(languageOf(client, opened));
    if (!editor.state.doc.toString().trim()) replaceText(editor, example, example.length);
    replay = new Replay(editor, speed, stop);
    button.textContent = text("replay.stop");
    replay.type();
  };
  button.onclick = () => (replay ? stop() : start(speed.value));
  played.listen((speed) => {
    stop();
    start(speed);
  });
  speed.onchange = () => keeper.note({ speed: speed.value });
  interrupted.listen(stop);
  for (const hand of HANDS) editor.dom.addEventListener(hand, (event) => isByHand(event) && stop(), { capture: true });
}

function isByHand(event: Event): boolean {
  return !(event instanceof KeyboardEvent) || !QUIET_KEYS.test(event.key);
}

class Replay {
  /** Text, cursor and what can be undone, as they were. */
  private readonly before: EditorState;
  private readonly pieces: string[];
  private timer = 0;

  constructor(
    private readonly editor: EditorView,
    private readonly speed: string,
    private readonly ended: () => void,
  ) {
    this.before = editor.state;
    this.pieces = piecesOf(this.before.doc.toString(), speed);
    this.change({ from: 0, to: this.before.doc.length, insert: "" }, 0);
  }

  type(): void {
    const piece = this.pieces.shift();
    if (piece === undefined) return this.ended();
    const { length } = this.editor.state.doc;
    this.change({ from: length, to: length, insert: piece }, length + piece.length);
    this.timer = window.setTimeout(() => this.type(), waitAfter(piece, this.speed));
  }

  /** The cursor stays where the typing was. */
  end(): void {
    clearTimeout(this.timer);
    const { head } = this.editor.state.selection.main;
    this.editor.setState(this.before);
    this.editor.dispatch({ selection: { anchor: head }, scrollIntoView: true });
  }

  private change(changes: { from: number; to: number; insert: string }, anchor: number): void {
    const annotations = Transaction.addToHistory.of(false);
    this.editor.dispatch({
      changes,
      selection: { anchor },
      annotations,
      effects: beginReplay.of(null),
      scrollIntoView: true,
    });
  }
}

/** Speech comes in words, typing in whole characters; together they are the text. */
function piecesOf(typed: string, speed: string): string[] {
  if (speed === "speech") return typed.match(/\s*\S+|\s+$/g) ?? [];
  return [...new Intl.Segmenter().segment(typed)].map(({ segment }) => segment);
}

/** Milliseconds: speech takes about 160 words a minute, long ones longer. */
function waitAfter(piece: string, speed: string): number {
  return speed === "speech" ? 120 + 55 * piece.trim().length : 60_000 / (LETTERS_A_WORD * Number(speed));
}
