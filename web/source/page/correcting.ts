/**
 * Corrects the tree: by dragging words to their heads, by keys, and by buttons. What is decided holds, the rest is
 * parsed anew around it, and what changed lights up.
 */

import { redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import type { PlacedSentence } from "../client/index.ts";
import type { DepTree, HeadChosen, HeadHindered, LabelChosen, TreeAnalysis, TreeWord } from "../tree/index.ts";
import type { AnnotatedSentence } from "./annotated_sentences.ts";
import { changedWords } from "./changed_words.ts";
import { Chooser } from "./chooser.ts";
import { contradiction, rivalOfRoot, type Heads } from "./contradictions.ts";
import { withChanges, type WordChange } from "./decisions.ts";
import { decide, decisionsOf } from "./decisions_field.ts";
import { HeadKeys } from "./head_keys.ts";
import { labelsFor, tagsFor } from "./likely_labels.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";
import { letterOf, type Key } from "./word_keys.ts";
import { text } from "./texts.ts";

const WATCHED = 3000; // milliseconds in which changes are those that a decision has made
const MOST_TOLD = 6; // words
/** Keys that mean something by what is shown; arrows lead on at once. */
const MAY_WAIT = /^(.|Enter|Escape|Delete|Backspace|PageDown|PageUp)$/u;
const MOST_EARLY = 20; // keys: nobody knows what more of them would be about

export function correctTrees(page: Page): void {
  new Correcting(page);
}

type Choice = "label" | "tag";

/** A key with the word that had the focus when it was pressed. */
type PressedKey = Key & { readonly number: number | null };

class Correcting {
  private readonly tree = part<DepTree>("tree");
  private readonly told = part("correction-told");
  private readonly chooser = new Chooser();
  private readonly headKeys: HeadKeys;
  private annotated: AnnotatedSentence | null = null;
  /** What was drawn last, of the text that there was then. */
  private drawn: { readonly tree: TreeAnalysis; readonly text: string } | null = null;
  private watchedUntil = 0;
  /** Decisions that are not drawn yet. */
  private undrawn = 0;
  /** Keys that were pressed meanwhile: they are about what will be shown. */
  private readonly early: PressedKey[] = [];
  /** The sentence to which keys have led: its first word gets the focus. */
  private isArriving = false;

  constructor(private readonly page: Page) {
    page.fixing.refused.listen((reason) => !this.isOfFile && this.tell(text("correct.refused", { reason })));
    this.headKeys = new HeadKeys(
      this.tree,
      (number, head, byKeys) => void this.chooseHead(number, head, byKeys),
      (told) => this.tell(told),
    );
    let now: CurrentSentence | null = null;
    const show = () => this.show(now && page.source.of(now));
    page.current.listen((next) => {
      now = next;
      show();
    });
    page.source.changed.listen(show);
    this.listen();
    this.offerButtons();
  }

  private listen(): void {
    const { tree } = this;
    tree.addEventListener("keydown", (event) => this.press(event), { capture: true });
    tree.addEventListener("headchosen", (event) => {
      const { number, head } = (event as HeadChosen).detail;
      this.tree.chooseWord(number);
      void this.chooseHead(number, head, false);
    });
    tree.addEventListener("headhindered", (event) => this.tell((event as HeadHindered).detail.reason));
    tree.addEventListener("labelchosen", (event) => {
      const { number } = (event as LabelChosen).detail;
      this.tree.chooseWord(number);
      void this.chooseName("label", number);
    });
    tree.addEventListener("wordchosen", () => this.showButtons());
  }

  private offerButtons(): void {
    const onWord = (id: string, act: (number: number) => void) => {
      part(id).onclick = () => {
        const number = this.tree.currentWord;
        if (number === null) this.tell(text("correct.choose"));
        else act(number);
      };
    };
    onWord("correct-head", (number) => this.askHead(number));
    onWord("correct-label", (number) => void this.chooseName("label", number));
    onWord("correct-tag", (number) => void this.chooseName("tag", number));
    onWord("correct-fix", (number) => void this.turnFixed(number));
    part("correct-undo").onclick = () => this.goBack(true);
    part("correct-redo").onclick = () => this.goBack(false);
  }

  // --- what is shown ------------------------------------------------------------------------------------

  private get shown(): PlacedSentence | null {
    return this.annotated?.tree ?? null;
  }

  private get isOfFile(): boolean {
    return this.annotated?.isOfFile ?? false;
  }

  private get words(): readonly TreeWord[] {
    return this.drawn?.tree.words ?? [];
  }

  private show(annotated: AnnotatedSentence | null): void {
    this.annotated = annotated;
    const isShown = annotated !== null && this.page.view.shown === "dependencies";
    part("correction").hidden = !isShown;
    this.tree.obstacleTo = isShown ? (number, head) => this.obstacle(number, head) : null;
    if (!isShown) this.forgetKeys();
    const tree = isShown ? this.tree.analysis : null;
    if (tree) this.lightChanges(tree);
    this.drawn = tree && { tree, text: this.page.document.text };
    this.showButtons();
    if (this.isArriving && this.words.length) this.arrive();
  }

  private forgetKeys(): void {
    this.headKeys.end();
    this.early.length = 0;
  }

  private lightChanges(tree: TreeAnalysis): void {
    const { drawn } = this;
    if (!drawn || performance.now() > this.watchedUntil || drawn.text !== this.page.document.text) return;
    const { arcs, tags } = changedWords(drawn.tree, tree);
    this.tree.lightChanges(arcs, tags);
    this.noteChanged([...new Set([...arcs, ...tags])]);
  }

  private noteChanged(numbers: readonly number[]): void {
    const forms = numbers.map((number) => this.tree.analysis.words[number - 1]?.form ?? "");
    if (!forms.length) return;
    const [told, count] = [forms.slice(0, MOST_TOLD).join(", "), forms.length - MOST_TOLD];
    part("correction-changed").textContent =
      count > 0 ? text("correct.changed.more", { forms: told, count }) : text("correct.changed", { forms: told });
  }

  private showButtons(): void {
    const { state } = this.page.editor;
    part<HTMLButtonElement>("correct-undo").disabled = undoDepth(state) === 0;
    part<HTMLButtonElement>("correct-redo").disabled = redoDepth(state) === 0;
    const word = this.words[(this.tree.currentWord ?? 0) - 1];
    part("correct-fix-name").textContent = text(word?.fixed?.length ? "correct.free" : "correct.fix");
  }

  private tell(told: string): void {
    this.told.textContent = told;
    part("correction-changed").textContent = "";
  }

  // --- keys ---------------------------------------------------------------------------------------------

  private press(event: KeyboardEvent): void {
    if (part("correction").hidden || event.isComposing || event.altKey) return;
    if (event.ctrlKey || event.metaKey) return this.pressWithControl(event);
    const pressed = { key: event.key, code: event.code, number: this.tree.currentWord };
    if (this.undrawn && MAY_WAIT.test(event.key)) this.keep(pressed);
    else if (!this.take(pressed)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  private pressWithControl(event: KeyboardEvent): void {
    const letter = letterOf(event);
    if (letter !== "z" && letter !== "y") return;
    this.goBack(letter === "z" && !event.shiftKey);
    event.preventDefault();
    event.stopPropagation();
  }

  private take(pressed: PressedKey): boolean {
    return this.headKeys.press(pressed) || this.act(pressed);
  }

  private keep(pressed: PressedKey): void {
    if (this.early.length < MOST_EARLY) this.early.push(pressed);
  }

  private takeEarly(): void {
    if (this.undrawn || this.chooser.isOpen || !this.early.length) return;
    this.take(this.early.shift()!);
    queueMicrotask(() => this.takeEarly()); // once it has begun to decide, if it does
  }

  private act({ key, code, number }: PressedKey): boolean {
    if (key === "PageDown" || key === "PageUp") return this.step(key === "PageDown" ? 1 : -1);
    if (number === null) return false;
    const letter = letterOf({ key, code });
    if (letter === "h") this.askHead(number);
    else if (letter === "l") void this.chooseName("label", number);
    else if (letter === "t") void this.chooseName("tag", number);
    else if (letter === "f") void this.turnFixed(number);
    else if (letter === "n") part("look-next").click();
    else if (key === "Delete" || key === "Backspace") void this.free(number);
    else return false;
    return true;
  }

  private askHead(number: number): void {
    this.tree.focusWord(number);
    this.headKeys.begin(number, this.words.length);
  }

  /** Goes to the next sentence of the text, or to the one before. */
  private step(by: 1 | -1): true {
    const told = this.page.stepping.step(by, () => (this.isArriving = true));
    void told.then((why) => why && this.tell(why));
    return true;
  }

  private arrive(): void {
    this.isArriving = false;
    this.tree.focusWord(this.tree.currentWord ?? 1);
  }

  // --- decisions ----------------------------------------------------------------------------------------

  /** Why a word cannot hang on a head: in a file all other heads stay, elsewhere those that are fixed. */
  private obstacle(number: number, head: number): string | null {
    const { words } = this;
    const staying = this.isOfFile ? words : words.map((word) => (word.fixed?.includes("head") ? word : null));
    const heads: Heads = new Map(
      staying.flatMap((word, index): [number, number][] =>
        typeof word?.head === "number" && word.head >= 0 ? [[index + 1, word.head]] : [],
      ),
    );
    if (head === 0) return this.isOfFile ? null : rivalOfRoot(words, heads, number);
    return contradiction(words, heads, number, head);
  }

  private async chooseHead(number: number, head: number, byKeys: boolean): Promise<void> {
    const obstacle = this.obstacle(number, head);
    if (obstacle !== null) return this.tell(obstacle);
    const label = this.words[number - 1]?.label;
    const isRootMoved = (label === "root") !== (head === 0);
    const isDone = await this.holds(number, { head, ...(isRootMoved && { label: null }) });
    if (isDone && byKeys && head) await this.chooseName("label", number);
    else this.takeEarly();
  }

  private async chooseName(kind: Choice, number: number): Promise<void> {
    const word = this.words[number - 1];
    if (!word) return this.takeEarly();
    const { client, document } = this.page;
    const model = document.model ?? client.welcome?.model ?? "";
    const { form, tag = "", label } = word;
    const head = typeof word.head === "number" && word.head > 0 ? this.words[word.head - 1] : undefined;
    const headTag = word.head === 0 ? null : (head?.tag ?? "");
    const names =
      kind === "tag"
        ? tagsFor(tag, client.welcome?.tags?.[model] ?? [])
        : labelsFor({ label, tag, headTag }, client.welcome?.labels?.[model] ?? []);
    const of = head ? text("correct.label.below", { form, head: head.form }) : text("correct.label", { form });
    const told = kind === "tag" ? text("correct.tag", { form }) : of;
    const name = await this.chooser.choose(told, names, this.early);
    this.tree.focusWord(number);
    if (name !== null) await this.decide(number, { [kind]: name });
    else this.takeEarly();
  }

  /** Fixes all of a word as it is shown, or frees it. */
  private async turnFixed(number: number): Promise<void> {
    const word = this.words[number - 1];
    if (!word) return;
    if (word.fixed?.length) return this.free(number);
    const { tag, label } = word;
    const head = typeof word.head === "number" && word.head >= 0 ? word.head : null;
    await this.decide(number, head === null ? { tag: tag ?? null } : { head, label, tag: tag ?? null });
  }

  private async free(number: number): Promise<void> {
    const word = this.words[number - 1];
    if (!word) return this.tell(text("correct.nothing.here"));
    if (!word.fixed?.length) return this.tell(text("correct.nothing", { form: word.form }));
    await this.decide(number, { head: null, label: null, tag: null });
  }

  private async decide(number: number, change: WordChange): Promise<void> {
    await this.holds(number, change);
    this.takeEarly();
  }

  /** Whether it holds once it is drawn. */
  private async holds(number: number, change: WordChange): Promise<boolean> {
    this.undrawn++;
    try {
      return await this.attempt(number, change);
    } finally {
      this.undrawn--;
    }
  }

  /** Whether it holds now; why it does not is told. */
  private async attempt(number: number, change: WordChange): Promise<boolean> {
    const { shown } = this;
    const form = this.words[number - 1]?.form;
    if (!shown || form === undefined) return false;
    const told = this.toldOf(number, change);
    const changes = new Map([[number, change]]);
    this.tell("");
    this.watch();
    const reason = this.isOfFile ? this.decideInFile(shown, changes) : await this.page.fixing.try(shown, changes);
    this.told.textContent = reason === null ? told : text("correct.stays", { form, reason });
    if (reason === null) await this.drawnAnew();
    return reason === null;
  }

  /** Until the tree shows what holds now. */
  private drawnAnew(): Promise<void> {
    return new Promise((resolve) =>
      requestAnimationFrame(() => {
        this.showButtons();
        resolve();
      }),
    );
  }

  /** What a file says is nobody's to refuse; the parser follows as far as it can. */
  private decideInFile(shown: PlacedSentence, changes: ReadonlyMap<number, WordChange>): null {
    const { editor } = this.page;
    decide(editor, withChanges(decisionsOf(editor.state), shown, changes));
    this.page.fixing.look();
    return null;
  }

  private toldOf(number: number, { head, label, tag }: WordChange): string {
    const form = this.words[number - 1]?.form ?? "";
    const headForm = head ? (this.words[head - 1]?.form ?? "") : "";
    const parts = [
      head === 0 && text("correct.fixed.root"),
      head && text("correct.fixed.below", { head: headForm }),
      label && text("correct.fixed.label", { label }),
      tag && text("correct.fixed.tag", { tag }),
    ];
    const fixed = parts.filter(Boolean).join(", ");
    return fixed ? text("correct.fixed", { form, parts: fixed }) : text("correct.freed", { form });
  }

  private goBack(isUndone: boolean): void {
    const { editor } = this.page;
    this.watch();
    const before = decisionsOf(editor.state);
    const isDone = (isUndone ? undo : redo)(editor);
    const isText = isDone && before === decisionsOf(editor.state);
    const inTree = isUndone ? "correct.undone" : "correct.redone";
    const inText = isUndone ? "correct.undone.text" : "correct.redone.text";
    this.tell(text(isDone ? (isText ? inText : inTree) : "correct.no-more"));
    this.page.fixing.look();
    this.showButtons();
  }

  private watch(): void {
    this.watchedUntil = performance.now() + WATCHED;
  }
}
