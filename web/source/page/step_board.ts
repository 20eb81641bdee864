/** A board: stack and remaining input as boxes, a button for each step; S, L, R and U are its keys, also around it. */

import { Signal, type ChoiceView, type StepName, type StepsMessage } from "../client/index.ts";
import { withQuotes } from "../extension/quotes.ts";
import { remainingWords, STEP_NAMES, titleOf } from "./configurations.ts";
import { directionOf } from "../tree/index.ts";
import { part } from "./page_parts.ts";
import { gainOf, lossesOf, stepTold, type StepWords } from "./step_words.ts";
import { text } from "./texts.ts";

const KEYS: Readonly<Record<string, StepName | "undo">> = {
  s: "shift",
  l: "reduce_left",
  r: "reduce_right",
  u: "undo",
};

export class StepBoard {
  /** A step was chosen, legal or not, or the last one is to be taken back. */
  readonly chosen = new Signal<StepName | "undo">();

  /** That of the words. */
  private lang = "";

  constructor(private readonly place: HTMLElement) {
    place.append(part<HTMLTemplateElement>("step-board").content.cloneNode(true));
    for (const button of place.querySelectorAll<HTMLButtonElement>("button"))
      button.onclick = () => this.chosen.emit(button.dataset.step as StepName | "undo");
    place.parentElement!.addEventListener("keydown", (event) => this.keyPressed(event));
  }

  /** Shows a configuration of these words; only an open board tells what the steps can attain. */
  show(message: StepsMessage | null, forms: readonly string[], isOpen: boolean, lang: string): void {
    this.lang = lang;
    this.place.querySelectorAll<HTMLElement>(".boxes").forEach((list) => (list.lang = lang));
    this.fill("stack", message?.stack ?? [], forms);
    this.fill("remaining", message ? remainingWords(message) : [], forms);
    for (const step of STEP_NAMES) this.showStep(step, message, isOpen);
  }

  /** Says of each step what it does. */
  tell(message: StepsMessage, told: (choice: ChoiceView) => string): void {
    for (const step of STEP_NAMES) this.button(step).querySelector(".title")!.textContent = titleOf(step, message);
    for (const choice of message.choices)
      this.button(choice.step)
        .querySelector(".says")!
        .replaceChildren(...withQuotes(told(choice), this.lang));
  }

  /** Says of each step what it does, attains and loses; the steps that are advised stand out. */
  explain(message: StepsMessage, words: StepWords): void {
    const taken = message.front <= message.n ? message.front : "later";
    this.tell(message, (choice) => stepTold(choice, taken, words));
    for (const choice of message.choices) this.showWorth(choice, message, words);
  }

  private showWorth(choice: ChoiceView, message: StepsMessage, words: StepWords): void {
    const button = this.button(choice.step);
    const gain = gainOf(choice.step, message);
    const isAdvised = message.optimal.includes(choice.step);
    button.querySelector(".attainable")!.textContent = isAdvised ? text("step.advised", { gain }) : gain;
    button.querySelector(".losses")!.textContent = lossesOf(choice, words);
  }

  private button(step: StepName): HTMLButtonElement {
    return this.place.querySelector<HTMLButtonElement>(`[data-step=${step}]`)!;
  }

  private showStep(step: StepName, message: StepsMessage | null, isOpen: boolean): void {
    const button = this.button(step);
    const attainable = message?.[step] ?? null;
    const isOptimal = isOpen && message !== null && message.optimal.includes(step);
    button.setAttribute("aria-disabled", String(attainable === null));
    button.classList.toggle("optimal", isOptimal);
    button.querySelector(".attainable")!.textContent = attainableTold(attainable, isOpen, isOptimal);
    button.querySelectorAll(".says, .losses").forEach((line) => line.replaceChildren());
  }

  private keyPressed(event: KeyboardEvent): void {
    const choice = KEYS[event.key.toLowerCase()];
    const isForList = event.target instanceof HTMLSelectElement; // where a letter chooses what begins with it
    if (!choice || isForList || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.chosen.emit(choice);
  }

  private fill(name: string, numbers: readonly number[], forms: readonly string[]): void {
    const list = this.place.querySelector<HTMLElement>(`.${name}`)!;
    list.dir = directionOf(forms.map((form) => ({ form })));
    list.replaceChildren(...numbers.map((number) => boxOf(number, forms)));
  }
}

function attainableTold(count: number | null, isOpen: boolean, isOptimal: boolean): string {
  if (count === null) return text("step.illegal");
  if (!isOpen) return "";
  return text(isOptimal ? "step.attains.optimal" : "step.attains", { count });
}

function boxOf(number: number, forms: readonly string[]): HTMLLIElement {
  const box = document.createElement("li");
  box.textContent = number === 0 ? text("node.box") : (forms[number - 1] ?? String(number));
  return box;
}
