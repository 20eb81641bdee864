/**
 * "Look here": the words of the shown sentence by how doubtful their places in the tree are. Each leads to its word;
 * a key leads from one to the next. The server is asked while the list is open, and when the key is pressed.
 */

import { adoptStyle, buttonOf, made } from "../page/made_elements.ts";
import { askForMargins, marginsIn, type Margins } from "../page/margins.ts";
import { part, type CurrentSentence, type Page } from "../page/page_parts.ts";
import type { AnnotatedSentence } from "../page/annotated_sentences.ts";
import type { DepTree, TreeWord } from "../tree/index.ts";
import { doubtsOf, Walk, type Doubt } from "./doubts.ts";
import { text, textWith } from "./texts.ts";
import { arcTold, reasonsTold, type Quote, type Told } from "./told_doubts.ts";

const FIRST = 8; // doubts that are listed until all are asked for

export class LookHere {
  private readonly details = part<HTMLDetailsElement>("look");
  private readonly tree = part<DepTree>("tree");
  private readonly told = made("p", { id: "look-told", className: "told" });
  private readonly list = made("ol", { id: "look-list" });
  private readonly all = buttonOf("look-all", "");
  private readonly walk = new Walk();
  private doubts: readonly Doubt[] = [];
  /** The words that the doubts are about. */
  private words: readonly TreeWord[] = [];
  private listsAll = false;
  /** Which of several requests counts: the last one. */
  private asked = 0;
  private ofWords: { readonly key: string; readonly margins: Promise<Margins> } | null = null;
  private callOff = () => {};
  /** The text for which the next doubt was asked for, before the doubts were there. */
  private awaited: string | null = null;
  /** The word whose doubt is shown in the tree. */
  private lit: TreeWord["id"] | null = null;

  constructor(
    private readonly page: Page,
    private now: CurrentSentence | null,
  ) {
    adoptStyle(STYLE);
    this.list.setAttribute("aria-label", text("look.list"));
    this.details.append(this.told, this.list, this.all);
    this.all.onclick = () => {
      this.listsAll = true;
      this.fill();
    };
    this.list.addEventListener("click", (event) => this.clicked(event));
    this.details.addEventListener("toggle", () => void this.update());
    page.current.listen((now) => {
      this.now = now;
      if (this.lit !== this.currentId) this.dim();
      void this.update();
    });
    page.source.changed.listen(() => void this.update());
    page.client.statusChanged.listen(() => void this.update());
    void this.update();
  }

  /** Goes to the next doubtful word, once the doubts are known. */
  next(): void {
    this.awaited = this.page.document.text;
    void this.update();
  }

  private async update(): Promise<void> {
    const asked = ++this.asked;
    if (!this.details.open && this.awaited === null) return;
    if (this.awaited !== this.page.document.text) this.awaited = null;
    const shown = this.now && this.page.source.of(this.now);
    const margins = shown ? await this.marginsOf(shown) : "none";
    if (asked !== this.asked) return;
    this.list.setAttribute("aria-busy", String(margins === "awaited"));
    if (margins !== "awaited") this.take(shown, margins);
  }

  /** Those of the parser's tree, or of a parse of the words of a file. */
  private async marginsOf(shown: AnnotatedSentence): Promise<Margins | "awaited" | "none"> {
    const { client, view } = this.page;
    if (view.shown !== "dependencies") return "none";
    if (!client.status.isAlive) return "awaited";
    if (shown.isOfFile) return this.marginsOfWords(shown.tree.analysis.words.map(({ form }) => form));
    const margins = marginsIn(this.page);
    return margins.isReady(shown.tree) ? margins.of(shown.tree) : "awaited";
  }

  private marginsOfWords(forms: readonly string[]): Promise<Margins> {
    const { client, document } = this.page;
    const key = JSON.stringify([document.model, forms]);
    if (this.ofWords?.key !== key) {
      this.callOff();
      const margins = new Promise<Margins>((take) => {
        this.callOff = askForMargins(client, document.model, forms, take);
      });
      this.ofWords = { key, margins };
    }
    return this.ofWords.margins;
  }

  private take(shown: AnnotatedSentence | null, margins: Margins | "none"): void {
    const { analysis, words = [] } = shown?.tree ?? {};
    this.words = words.map(({ id, number }) => ({ ...analysis!.words[number - 1]!, id }));
    this.doubts = Array.isArray(margins) ? doubtsOf(this.words, margins) : [];
    this.told.textContent = this.whyEmpty(margins);
    this.fill();
    if (this.lit !== null && this.lit === this.currentId)
      this.light(this.doubts.find((one) => this.idOf(one) === this.lit));
    if (this.awaited !== null) this.goOn();
  }

  private whyEmpty(margins: Margins | "none"): string {
    if (margins === "none" || this.doubts.length) return "";
    return text(margins === null ? "look.unknown" : "look.fixed");
  }

  private goOn(): void {
    this.awaited = null;
    const doubt = this.walk.next(this.doubts, (one) => this.idOf(one));
    if (doubt) this.goTo(doubt);
    else
      part("correction-told").textContent =
        this.told.textContent || text(this.words.length ? "look.end" : "look.fixed");
  }

  // --- the list -----------------------------------------------------------------------------------------

  private fill(): void {
    const { doubts } = this;
    const shown = this.listsAll ? doubts : doubts.slice(0, FIRST);
    this.list.replaceChildren(...shown.map((doubt, place) => this.itemOf(doubt, place)));
    this.all.hidden = shown.length === doubts.length;
    this.all.textContent = text("look.all", { count: doubts.length });
  }

  private itemOf(doubt: Doubt, place: number): HTMLLIElement {
    const button = made("button", { type: "button" });
    button.dataset.place = String(place);
    const [first, ...others] = this.linesOf(doubt).map((line) => {
      const element = document.createElement("span");
      element.append(...line);
      return element;
    });
    const name = document.createElement("strong");
    name.append(first!);
    button.append(name, ...others.flatMap((line) => [" ", line]));
    const item = made("li", {});
    item.append(button);
    return item;
  }

  /** Nothing but its word where the parser's arcs are hidden. */
  private linesOf(doubt: Doubt): Told[] {
    if (this.isHidden) return [textWith("look.word", { form: this.quote(doubt.number) })];
    return [arcTold(doubt, this.quote), ...reasonsTold(doubt, this.quote)];
  }

  private readonly quote: Quote = (number) => {
    const form = this.words[number - 1]?.form ?? String(number);
    return made("span", { lang: this.tree.lang, textContent: form });
  };

  private clicked({ target }: Event): void {
    const button = (target as Element).closest<HTMLElement>("button");
    const doubt = button && this.doubts[Number(button.dataset.place)];
    if (!doubt) return;
    this.walk.note(this.idOf(doubt));
    this.goTo(doubt);
  }

  // --- the tree -----------------------------------------------------------------------------------------

  /** Leads to its word, tells it there, and lights both arcs. */
  private goTo(doubt: Doubt): void {
    const number = this.numberNow(doubt);
    if (!number) return;
    this.lit = this.idOf(doubt) ?? null;
    this.tree.chooseWord(number);
    this.tree.focusWord(number);
    this.light(doubt);
    part("correction-told").replaceChildren(...this.linesOf(doubt).flatMap((line) => [...line, " "]));
  }

  private light(doubt: Doubt | undefined): void {
    const rival = this.isHidden ? null : doubt?.rival;
    const number = doubt ? this.numberNow(doubt) : 0;
    const head = typeof rival?.head === "number" && rival.head >= 0 ? rival.head : null;
    this.tree.rival = number && head !== null ? { number, head, label: rival?.label ?? "" } : null;
  }

  private get isHidden(): boolean {
    const { source } = this.page;
    const shown = this.now && source.of(this.now);
    return shown !== null && source.blind.hides(shown);
  }

  private dim(): void {
    if (this.lit !== null) this.tree.rival = null;
    this.lit = null;
  }

  /** The number of its word in the tree as it is drawn now; 0 where it is gone. */
  private numberNow(doubt: Doubt): number {
    return this.tree.analysis.words.findIndex(({ id }) => id === this.idOf(doubt)) + 1;
  }

  private get currentId(): TreeWord["id"] {
    return this.tree.analysis.words[(this.tree.currentWord ?? 0) - 1]?.id;
  }

  private idOf({ number }: Doubt): TreeWord["id"] {
    return this.words[number - 1]?.id;
  }
}

const STYLE = `
#look-list { margin: 0.25rem 0 0; padding-inline-start: 1.75rem; max-height: min(26rem, 60vh); overflow-y: auto; }
#look-list[aria-busy="true"] { opacity: 0.6; }
#look-list li { padding: 0.125rem; }
#look-list button, #look-all { min-height: 44px; max-width: 100%; text-align: start; overflow-wrap: anywhere; }
#look-told:empty { display: none; }
`;
