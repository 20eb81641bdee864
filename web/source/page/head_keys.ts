/** Choosing a head by keys: each word shows its own, arrows and Enter or a click on a word choose as well. */

import type { DepTree, WordChosen } from "../tree/index.ts";
import { keysOfWords, letterOf, type Key } from "./word_keys.ts";
import { text } from "./texts.ts";

export class HeadKeys {
  private dependent: number | null = null;
  private keys = new Map<number, string>();
  private typed = "";
  private isWalking = false;

  constructor(
    private readonly tree: DepTree,
    private readonly chosen: (dependent: number, head: number, byKeys: boolean) => void,
    private readonly tell: (told: string) => void,
  ) {
    // in between the tree itself has taken the key
    tree.addEventListener("keydown", () => (this.isWalking = false));
    tree.addEventListener("wordchosen", (event) => {
      const { dependent, isWalking } = this;
      if (dependent === null || isWalking) return;
      this.choose((event as WordChosen).detail.number, false);
    });
  }

  begin(dependent: number, words: number): void {
    this.dependent = dependent;
    this.keys = keysOfWords(words, dependent);
    this.typed = "";
    this.tree.showHints(dependent, this.keys);
    const form = this.tree.analysis.words[dependent - 1]?.form ?? "";
    this.tell(text("correct.head", { form }));
  }

  end(): void {
    if (this.dependent === null) return;
    this.tree.showHints(this.dependent, null);
    this.dependent = null;
  }

  /** Whether a key is one of these. */
  press(key: Key): boolean {
    if (this.dependent === null) return false;
    if (/^(Arrow.*|Home|End)$/.test(key.key)) return this.walk();
    if (key.key === "Escape") this.callOff();
    else if (key.key === "Enter") this.choose(this.tree.currentWord, true);
    else return this.type(letterOf(key));
    return true;
  }

  /** The tree itself takes the key; the word to which it leads is not chosen yet. */
  private walk(): false {
    this.isWalking = true;
    return false;
  }

  private type(letter: string | null): boolean {
    if (letter === null) return false;
    const typed = this.typed + letter;
    const left = [...this.keys].filter(([, keys]) => keys.startsWith(typed));
    const [first] = left;
    if (first && first[1] === typed) this.choose(first[0], true);
    else if (left.length) {
      this.typed = typed;
      this.tree.showHints(this.dependent!, new Map(left));
    }
    return true;
  }

  private choose(head: number | null, byKeys: boolean): void {
    const { dependent } = this;
    if (dependent === null || head === null) return;
    this.end();
    this.back(dependent);
    this.chosen(dependent, head, byKeys);
  }

  private callOff(): void {
    const { dependent } = this;
    this.end();
    this.tell("");
    if (dependent !== null) this.back(dependent);
  }

  /** The keys may have led to other words. */
  private back(dependent: number): void {
    this.tree.chooseWord(dependent);
    this.tree.focusWord(dependent);
  }
}
