/** The list of all sentences: what is known of each, and a way to go there; with a filter, those that pass it. */

import { adoptStyle, made } from "../page/made_elements.ts";
import { part, type Page } from "../page/page_parts.ts";
import { agreementOf, isUnsure } from "../page/tree_agreement.ts";
import { number } from "../texts/texts.ts";
import type { DepTree } from "../tree/index.ts";
import { SentenceRows, type RowWord, type SentenceRow } from "./sentence_rows.ts";
import { PassedPlaces } from "./passed_places.ts";
import { text } from "./texts.ts";
import { LIST_STYLE, VirtualList } from "./virtual_list.ts";

const REST = 200; // milliseconds, after which nobody types or scrolls
const AHEAD = 30; // sentences that pass the filter, below those in sight

/** What the parser makes of a sentence. */
interface Verdict {
  readonly differs: boolean;
  readonly isDoubtful: boolean;
}

export class SentencesPart {
  private readonly rows: SentenceRows;
  private readonly tree = part<DepTree>("tree");
  private readonly list = new VirtualList(
    "sentence-list",
    (item, place) => this.fill(item, this.placeAt(place)),
    (from, to) => this.look(from, to),
    (place) => void this.goTo(place),
  );
  private readonly none = made("p", { className: "told", textContent: text("sentences.none") });
  private readonly told = made("p", { className: "told", role: "status" });
  /** Those that pass the filter; null without one. */
  private passed: PassedPlaces | null = null;
  /** What they depend on, the filter first. */
  private filtered: readonly unknown[] = [];
  private readonly verdicts = new WeakMap<readonly RowWord[], Verdict>();
  private inSight = { from: 0, to: 0 };
  private refreshing: ReturnType<typeof setTimeout> | undefined;
  private resting: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;
  private isArriving = false;

  constructor(
    private readonly page: Page,
    private readonly details: HTMLDetailsElement,
  ) {
    this.rows = new SentenceRows(page);
    this.list.labelledBy = "sentences-heading";
    adoptStyle(LIST_STYLE);
    details.append(this.list.element, this.none, this.told);
    const soon = () => this.refreshSoon();
    page.document.changed.listen(soon);
    page.current.listen(() => {
      this.arrive();
      soon();
    });
    page.stepping.filtered.listen(soon);
    page.fileChanged.listen(() => {
      this.rows.forgetAll();
      soon();
    });
    details.addEventListener("toggle", () => {
      this.filtered = [];
      void this.refresh();
    });
    void this.refresh();
  }

  private refreshSoon(): void {
    clearTimeout(this.refreshing);
    if (this.details.open) this.refreshing = setTimeout(() => void this.refresh(), REST);
  }

  private async refresh(): Promise<void> {
    if (!this.details.open) return;
    await this.rows.refresh();
    if (this.isFiltered) await this.filterAnew();
    else this.passed = null;
    this.draw();
  }

  private get isFiltered(): boolean {
    return this.page.stepping.filter !== null && this.page.parts.annotations.shown !== null;
  }

  /** Looks anew for sentences that pass if any may be others; those that are shown stay until then. */
  private async filterAnew(): Promise<void> {
    const { stepping, parts, editor } = this.page;
    const now = [stepping.filter, parts.annotations.shown, editor.state.doc, parts.decisions];
    if (this.passed && now.every((one, place) => one === this.filtered[place])) return;
    const passed = new PassedPlaces(this.passing());
    const isSame = this.passed !== null && now[0] === this.filtered[0];
    this.filtered = now;
    if (isSame) await passed.atLeast(this.inSight.to + AHEAD);
    if (this.filtered === now) this.passed = passed;
  }

  private draw(): void {
    const count = this.passed?.places.length ?? this.rows.count;
    this.list.show(count, this.shownPlace);
    this.none.hidden = count > 0 || this.passed?.isWhole === false;
    this.list.element.hidden = !this.none.hidden;
  }

  /** Where the present sentence stands in the list. */
  private get shownPlace(): number {
    const { present } = this.rows;
    return this.passed ? this.passed.places.indexOf(present) : present;
  }

  private placeAt(listed: number): number {
    return this.passed ? this.passed.places[listed]! : listed;
  }

  private async *passing(): AsyncGenerator<number> {
    for await (const { part, sentence, isWanted } of this.page.stepping.looks())
      if (!this.details.open) return;
      else if (isWanted) yield this.rows.placeOf(part, sentence.place);
  }

  // --- rows in sight ------------------------------------------------------------------------------------

  private look(from: number, to: number): void {
    this.inSight = { from, to };
    const drawIfNew = (isNew: boolean | undefined) => void (isNew && this.draw());
    void this.passed?.atLeast(to + AHEAD).then(drawIfNew);
    clearTimeout(this.resting);
    this.resting = setTimeout(() => void this.complete(), REST);
    void this.rows.load(this.placeAt(from) ?? 0, (this.placeAt(to - 1) ?? 0) + 1).then(drawIfNew);
  }

  /** Asks the parser about the sentences in sight, one after the other, while nobody scrolls on. */
  private async complete(): Promise<void> {
    const asked = ++this.asked;
    const { from, to } = this.inSight;
    for (let place = from; place < to && this.details.open; place++) {
      const row = this.rows.at(this.placeAt(place));
      if (!row || this.verdicts.has(row.words)) continue;
      const verdict = await this.verdictOf(row);
      if (verdict) this.verdicts.set(row.words, verdict);
      if (asked !== this.asked) return;
      if (verdict) this.draw();
    }
  }

  /** Null where the server does not answer. */
  private async verdictOf({ words, isOfFile }: SentenceRow): Promise<Verdict | null> {
    if (!isOfFile) return { differs: false, isDoubtful: isUnsure(words) };
    const parse = await this.page.parser.of(words.map(({ form }) => form));
    return parse && { differs: agreementOf(words, parse).differing.length > 0, isDoubtful: isUnsure(parse) };
  }

  private fill(item: HTMLLIElement, place: number): void {
    const row = this.rows.at(place);
    const marks = row ? this.marksOf(row) : [];
    const said = [row?.text ?? "", [number(place + 1), ...marks].join(" · ")];
    const told = said.join("\n");
    if (item.dataset.told === told) return;
    item.dataset.told = told;
    const sentence = made("span", { textContent: said[0]!, dir: "auto", lang: this.tree.lang });
    item.replaceChildren(sentence, made("small", { textContent: said[1]! }));
  }

  private marksOf(row: SentenceRow): string[] {
    const verdict = this.verdicts.get(row.words);
    return [
      ...(row.isEdited ? [text("sentences.edited")] : []),
      ...(row.isFixed ? [text("sentences.fixed")] : []),
      ...(verdict?.differs ? [text("sentences.differs")] : []),
      ...(verdict?.isDoubtful ? [text("sentences.doubtful")] : []),
    ];
  }

  private async goTo(listed: number): Promise<void> {
    this.told.textContent = "";
    const { doc, selection } = this.page.editor.state;
    this.told.textContent = await this.rows.goTo(this.placeAt(listed), () => (this.isArriving = true));
    const { state } = this.page.editor;
    if (state.doc === doc && state.selection.eq(selection)) this.arrive(); // nothing else is drawn
  }

  /** As soon as its tree is drawn, keys go on there. */
  private arrive(): void {
    if (!this.isArriving || !this.tree.analysis.words.length) return;
    this.isArriving = false;
    this.tree.focusWord(this.tree.currentWord ?? 1);
    part("tree-card").scrollIntoView({ block: "nearest" });
  }
}
