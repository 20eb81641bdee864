/** A grammar that is edited here and acts on the text at once, and the constraints that the present tree breaks. */

import type { BrokenView, ConstraintsMessage, MistakesMessage, PlacedSentence } from "../client/index.ts";
import type { DepTree } from "../tree/index.ts";
import { save } from "./exports.ts";
import { placeOf, positionOf, withException, withExample, withoutConstraint } from "./grammar_texts.ts";
import { languageOf } from "./languages.ts";
import { number } from "../texts/texts.ts";
import { inBrowser } from "./kept_strings.ts";
import { part, type Page } from "./page_parts.ts";
import { text } from "./texts.ts";

const KEPT = "treewhile-grammar";

export class GrammarEditor {
  private readonly field = part<HTMLTextAreaElement>("grammar-text");
  private readonly isUsed = part<HTMLInputElement>("grammar-used");
  private readonly frame = part<HTMLDetailsElement>("grammar-part");
  /** Of the last text that was sent, or waits for the answer to the one before. */
  private number = 0;
  private isAwaited = false;
  private isWaiting = false;
  /** Whether a grammar that was written here is what the search goes by. */
  private counts = false;
  private broken: readonly BrokenView[] = [];
  private readonly told = new Map<PlacedSentence["analysis"]["sentence"], ConstraintsMessage>();

  constructor(
    private readonly page: Page,
    private sentence: PlacedSentence | null,
  ) {
    const { current, document } = page;
    this.field.value = inBrowser.get(KEPT) ?? "";
    this.field.oninput = () => this.change();
    this.field.onscroll = () => (part("grammar-lines").scrollTop = this.field.scrollTop);
    this.isUsed.onchange = () => this.send();
    this.frame.ontoggle = () => this.open();
    document.mistakes.listen((message) => this.answer(message));
    document.failed.listen(() => (this.isAwaited = false));
    document.reopened.listen(() => this.told.clear());
    document.constraints.listen((message) => {
      this.told.set(message.sentence, message);
      this.list();
    });
    current.listen(({ sentence }) => {
      this.sentence = sentence;
      this.list();
    });
    part("grammar-broken").onclick = (event) => this.act(event.target as Element);
    part("grammar-mistakes").onclick = (event) => this.lead(event.target as HTMLElement);
    this.offerFiles();
    this.open();
  }

  // --- the text -----------------------------------------------------------------------------------------

  private open(): void {
    this.page.streams.wantConstraints(this.frame, this.frame.open);
    if (!this.frame.open) return this.send();
    const isEnglish = languageOf(this.page.client, this.page.document) === "en";
    this.field.value ||= `include ${isEnglish ? "english" : "general"}\n`;
    this.numberLines();
    this.send();
  }

  private write(text: string | null): void {
    if (text === null) return;
    this.field.value = text;
    this.change();
  }

  private change(): void {
    inBrowser.set(KEPT, this.field.value);
    this.numberLines();
    this.send();
  }

  private numberLines(): void {
    const count = this.field.value.split("\n").length;
    part("grammar-lines").textContent = Array.from({ length: count }, (_, line) => line + 1).join("\n");
  }

  /** One text at a time is on its way; of those that are written meanwhile, the last one follows. */
  private send(): void {
    if (part("grammar").hidden) return;
    this.isWaiting = this.isAwaited && !this.isTooLong;
    if (this.isTooLong) return this.tellLength();
    if (this.isWaiting) return;
    this.isAwaited = true;
    this.page.document.editGrammar(this.isWanted ? this.field.value : null, ++this.number);
  }

  private get isWanted(): boolean {
    return this.frame.open && this.isUsed.checked;
  }

  private get most(): number {
    return this.page.client.welcome?.limits.grammar_characters ?? Infinity;
  }

  private get isTooLong(): boolean {
    const { length } = this.field.value;
    return this.isWanted && length > this.most && [...this.field.value].length > this.most;
  }

  /** Too long a text is not sent: what counted before still does. */
  private tellLength(): void {
    const count = number([...this.field.value].length);
    const counts = text(this.counts ? "grammar.earlier" : "grammar.default");
    this.field.setAttribute("aria-invalid", "true");
    part("grammar-told").textContent = text("grammar.long", { count, most: number(this.most), counts });
    part("grammar-mistakes").replaceChildren();
  }

  private answer(message: MistakesMessage): void {
    if (message.number !== this.number) return;
    this.isAwaited = false;
    if (this.isWaiting) return this.send();
    const { mistakes, is_used: isUsed } = message;
    this.counts = this.isWanted && (isUsed || this.counts);
    if (this.isTooLong) return this.tellLength();
    this.field.setAttribute("aria-invalid", String(mistakes.length > 0));
    part("grammar-told").textContent = toldOf(message, this.isWanted);
    const items = mistakes.map(({ line, column, message: what }) => {
      const button = buttonOf(text("grammar.mistake", { line, column, message: what }));
      button.dataset.at = `${line} ${column}`;
      return itemOf(button);
    });
    part("grammar-mistakes").replaceChildren(...items);
    this.field.dataset.used = String(isUsed);
  }

  private lead(target: HTMLElement): void {
    const [line, column] = (target.dataset.at ?? "").split(" ").map(Number);
    if (line && column) this.select(positionOf(this.field.value, line, column));
  }

  private select(from: number, to = from): void {
    this.field.focus();
    this.field.setSelectionRange(from, to);
    const line = this.field.value.slice(0, from).split("\n").length;
    this.field.scrollTop = (line - 3) * parseFloat(getComputedStyle(this.field).lineHeight);
  }

  private offerFiles(): void {
    const file = part<HTMLInputElement>("grammar-file");
    part("open-grammar").onclick = () => file.click();
    part("save-grammar").onclick = () =>
      save(new Blob([this.field.value], { type: "text/plain;charset=utf-8" }), "mine.constraints");
    file.onchange = async () => {
      const [chosen] = file.files ?? [];
      if (chosen) this.write(await chosen.text());
      file.value = "";
    };
  }

  // --- what the tree breaks -----------------------------------------------------------------------------

  private list(): void {
    const { sentence } = this;
    const told = sentence && this.told.get(this.page.document.numberOf(sentence));
    this.broken = sentence && told && !sentence.isTouched ? told.broken : [];
    const items = this.broken.map((one, place) => this.itemOf(one, place));
    const list = part("grammar-broken");
    const areSame =
      items.length === list.children.length && items.every((item, at) => item.isEqualNode(list.children[at]!));
    if (!areSame) list.replaceChildren(...items); // a button that is about to be pressed stays
  }

  private itemOf({ constraint, penalty, words, x = null }: BrokenView, place: number): HTMLLIElement {
    const at = words.length ? `: ${words.map((word) => this.formOf(word)).join(" ... ")}` : "";
    const isOwn = placeOf(this.field.value, constraint) !== null;
    const acts: [string, string][] = isOwn
      ? [
          ["wrong", text("grammar.wrong")],
          ["right", text("grammar.right")],
          ["unless", text("grammar.unless", { word: this.formOf(x) })],
        ]
      : [["off", text("grammar.off")]];
    const buttons = acts
      .filter(([act]) => act !== "unless" || x !== null)
      .map(([act, label]) => buttonOf(label, act, place));
    return itemOf(buttonOf(`${constraint}, ${toldPenalty(penalty)}${at}`, "show", place), ...buttons);
  }

  private formOf(word: number | null): string {
    return this.sentence?.analysis.words[Number(word) - 1]?.form ?? "";
  }

  private act(target: Element): void {
    const { act, place } = target.closest<HTMLElement>("button")?.dataset ?? {};
    const broken = this.broken[Number(place)];
    if (!act || !broken) return;
    const grammar = this.field.value;
    const { constraint, x = null } = broken;
    const sentence = (this.sentence?.analysis.words ?? []).map(({ form }) => form).join(" ");
    if (act === "show") this.show(broken);
    else if (act === "off") this.write(withoutConstraint(grammar, constraint));
    else if (act === "unless") this.write(withException(grammar, constraint, this.formOf(x)));
    else this.write(withExample(grammar, constraint, act as "right" | "wrong", sentence));
  }

  /** Lights up the words in the tree, and selects them in the text, and the constraint in the grammar. */
  private show({ constraint, words }: BrokenView): void {
    const place = placeOf(this.field.value, constraint);
    if (place) this.select(place.from, place.end);
    part<DepTree>("tree").lightChanges(words, words);
    const placed = this.sentence?.words.filter(({ number }) => words.includes(number)) ?? [];
    const [first, last] = [placed[0], placed.at(-1)];
    if (!first || !last || !this.sentence) return;
    const start = this.sentence.from;
    this.page.editor.dispatch({
      selection: { anchor: start + first.from, head: start + last.to },
      scrollIntoView: true,
    });
  }
}

function toldOf({ mistakes, constraints, is_used: isUsed }: MistakesMessage, isWanted: boolean): string {
  if (!isWanted) return text("grammar.default");
  const counted = text("grammar.mistakes", { count: mistakes.length });
  if (!isUsed) return text("grammar.last", { mistakes: counted });
  const weighed = text("grammar.weighed", { count: constraints });
  return mistakes.length ? text("grammar.despite", { weighed, mistakes: counted }) : `${weighed}.`;
}

function toldPenalty(penalty: number): string {
  return penalty === 0
    ? text("grammar.hard")
    : text("grammar.penalty", { penalty: number(penalty, { maximumSignificantDigits: 3 }) });
}

function buttonOf(label: string, act = "", place = 0): HTMLButtonElement {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: label });
  if (act) Object.assign(button.dataset, { act, place: String(place) });
  return button;
}

function itemOf(...children: readonly Element[]): HTMLLIElement {
  const item = document.createElement("li");
  item.append(...children);
  return item;
}
