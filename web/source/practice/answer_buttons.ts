/** A bar of answers to choose from: by pointer, by the key that each one shows, or by arrows and Enter. */

import { Signal } from "../client/index.ts";
import { made } from "../page/made_elements.ts";
import { letterOf } from "../page/word_keys.ts";

/** On some keyboards it stands where others have a letter. */
export const HINT_KEY = "?";

export interface Choice {
  readonly answer: string;
  /** As many letters as it takes. */
  readonly key: string;
  readonly title: string;
  /** It may still be right. */
  readonly isOpen: boolean;
  /** Of the title, as in HTML; empty for the reader's own. */
  readonly lang: string;
  /** What the answer means, in English for now, as all sentences of the glossary; empty where there is nothing to say. */
  readonly says: string;
}

export class AnswerButtons {
  readonly chosen = new Signal<string>();
  private choices: readonly Choice[] = [];
  private typed = "";

  constructor(
    private readonly bar: HTMLElement,
    around: HTMLElement,
  ) {
    bar.setAttribute("role", "toolbar");
    bar.addEventListener("click", ({ target }) => {
      const button = (target as Element).closest("button");
      if (button) this.choose(this.choices[this.buttons.indexOf(button)]);
    });
    bar.addEventListener("focusin", ({ target }) => this.rove(this.buttons.indexOf(target as HTMLButtonElement)));
    bar.addEventListener("keydown", (event) => this.walk(event));
    around.addEventListener("keydown", (event) => this.press(event));
  }

  /** Whoever was on a button stays there while the answers are the same, and is on the first one otherwise. */
  show(choices: readonly Choice[]): void {
    const before = this.buttons.findIndex((button) => button === document.activeElement);
    const isSame = choices.length > 0 && choices.every(({ answer }, place) => answer === this.choices[place]?.answer);
    const place = isSame && before >= 0 ? before : Math.max(0, firstOpen(choices));
    this.choices = choices;
    this.typed = "";
    this.bar.replaceChildren(...choices.map(buttonOf));
    this.rove(place);
    if (before >= 0) this.buttons[place]?.focus();
  }

  private get buttons(): HTMLButtonElement[] {
    return [...this.bar.querySelectorAll("button")];
  }

  private choose(choice: Choice | undefined): void {
    if (choice?.isOpen) this.chosen.emit(choice.answer);
  }

  /** One button at a time is in the order of Tab. */
  private rove(place: number): void {
    this.buttons.forEach((button, index) => (button.tabIndex = index === place ? 0 : -1));
  }

  private walk(event: KeyboardEvent): void {
    const { buttons } = this;
    const at = buttons.indexOf(event.target as HTMLButtonElement);
    const forwards = this.bar.matches(":dir(rtl)") ? "ArrowLeft" : "ArrowRight";
    const step = event.key === forwards || event.key === "ArrowDown" ? 1 : /^Arrow/.test(event.key) ? -1 : 0;
    const place = event.key === "Home" ? 0 : event.key === "End" ? buttons.length - 1 : at + step;
    if (place === at || at < 0) return;
    buttons[(place + buttons.length) % buttons.length]!.focus();
    event.preventDefault();
  }

  private press(event: KeyboardEvent): void {
    const letter = event.key === HINT_KEY ? null : letterOf(event);
    if (letter === null || !isForAnswers(event)) return;
    const typed = this.typed + letter;
    const begun = this.choices.filter(({ key }) => key.startsWith(typed));
    this.typed = begun.length ? typed : "";
    if (begun[0]?.key !== typed) return;
    this.typed = "";
    event.preventDefault();
    this.choose(begun[0]);
  }
}

function firstOpen(choices: readonly Choice[]): number {
  return choices.findIndex(({ isOpen }) => isOpen);
}

/** Lists choose by letters themselves. */
export function isForAnswers({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return !ctrlKey && !metaKey && !altKey && !(target instanceof HTMLSelectElement);
}

function buttonOf({ key, title, isOpen, lang, says }: Choice): HTMLButtonElement {
  const button = made("button", { type: "button" });
  button.setAttribute("aria-disabled", String(!isOpen));
  if (key) button.setAttribute("aria-keyshortcuts", [...key].join(" "));
  const name = made("span", { textContent: title, dir: "auto" });
  if (lang) name.lang = lang;
  const shown = made("kbd", { textContent: key });
  shown.setAttribute("aria-hidden", "true");
  button.append(name, " ", shown);
  if (says) button.append(meaning(says));
  if (says) button.setAttribute("aria-description", says);
  return button;
}

/** It is described by that, and not called so. */
function meaning(says: string): HTMLElement {
  const meaning = made("span", { className: "says", textContent: says });
  meaning.setAttribute("aria-hidden", "true");
  return meaning;
}
