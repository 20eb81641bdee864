/** The part of the page that shows how the tree of a sentence came about: one moment at a time, or two beside each other. */

import type { PlacedSentence } from "../client/index.ts";
import { copyOrSave, save } from "../page/exports.ts";
import { languageOf } from "../page/languages.ts";
import { part, type Page } from "../page/page_parts.ts";
import type { RecordedAnalyses, RecordedAnalysis } from "../page/recorded_analyses.ts";
import { text as pageText } from "../page/texts.ts";
import { animatedSvg } from "./animated_svg.ts";
import { MomentElements } from "./elements.ts";
import { arcsChanged, changesBetween } from "./moment_changes.ts";
import {
  jsonOf,
  linkOf,
  MOST_BYTES,
  readLink,
  readMoments,
  UnreadableMoments,
  type MomentsFile,
} from "./moments_file.ts";
import { momentsOf, type Moment } from "./moments.ts";
import { captionOf, changesTold, momentTold, summaryTold, valueTold } from "./told_moments.ts";
import { text } from "./texts.ts";

const PICTURE_WIDTH = 880; // px
const QUIET = 500; // milliseconds without another moment, before a link is made

export class MomentsPart {
  private readonly details = part<HTMLDetailsElement>("moments");
  private readonly elements = new MomentElements(this.details);
  /** What was opened, and is shown in place of the present sentence. */
  private opened: MomentsFile | null = null;
  private moments: readonly Moment[] = [];
  /** What the moments are made of, so that a place is found again; empty for a file. */
  private origins: readonly RecordedAnalysis[] = [];
  private place = 0;
  private otherPlace = 0;
  private timer: number | null = null;
  private frame = 0;
  private linkTimer = 0;
  private link: string | null = null;

  constructor(
    private readonly page: Page,
    private readonly recorded: RecordedAnalyses,
    private present: PlacedSentence | null,
  ) {
    const { current, document } = page;
    current.listen(({ sentence }) => {
      this.present = sentence;
      this.lookSoon();
    });
    document.constraints.listen(() => this.lookSoon());
    this.details.ontoggle = () => this.turn();
    this.listen();
    this.turn();
  }

  /** Shows the moments that an address carries. */
  async openLink(hash: string): Promise<void> {
    await this.open(text("moments.of-link"), () => readLink(hash));
  }

  async openFile(file: File): Promise<void> {
    await this.open(file.name, async () => {
      if (file.size > MOST_BYTES) throw new UnreadableMoments("moments.file.large");
      return readMoments(await file.text());
    });
  }

  private listen(): void {
    const { slider, other, earlier, later, play, compares, file, open, back } = this.elements;
    slider.oninput = () => this.goByHand(Number(slider.value));
    earlier.onclick = () => this.goByHand(this.place - 1);
    later.onclick = () => this.goByHand(this.place + 1);
    play.onclick = () => (this.timer === null ? this.play() : this.pause());
    compares.onchange = () => {
      this.otherPlace = Math.max(0, this.place - 1);
      this.show();
    };
    other.oninput = () => {
      this.otherPlace = Number(other.value);
      this.show();
    };
    open.onclick = () => file.click();
    file.onchange = async () => {
      const [chosen] = file.files ?? [];
      if (chosen) await this.openFile(chosen);
      file.value = "";
    };
    back.onclick = () => this.close();
    this.listenToExports();
  }

  private listenToExports(): void {
    const { save: saving, link, svg } = this.elements;
    saving.onclick = () => save(new Blob([jsonOf(this.shown)], { type: "application/json" }), "moments.json");
    svg.onclick = () => save(new Blob([this.animation], { type: "image/svg+xml" }), "moments.svg");
    link.onclick = async () => {
      if (this.link === null) return;
      this.tell(pageText((await copyOrSave(this.link, "moments-link.txt")) ? "exports.copied" : "exports.saved"));
    };
  }

  // --- what is shown ------------------------------------------------------------------------------------

  /** The moments, as they are written to a file. */
  private get shown(): MomentsFile {
    if (this.opened) return this.opened;
    const { client, document } = this.page;
    const model = document.model ?? client.welcome?.model ?? "";
    return { model, language: languageOf(client, document), moments: this.moments };
  }

  private async open(name: string, read: () => Promise<MomentsFile | null>): Promise<void> {
    this.details.open = true;
    try {
      const file = await read();
      if (file) this.take(file, name);
    } catch (error) {
      if (!(error instanceof UnreadableMoments)) throw error;
      this.tell(text(error.reason, { name, count: error.count }));
    }
    this.details.scrollIntoView({ block: "nearest" });
  }

  private take(file: MomentsFile, name: string): void {
    this.pause();
    this.opened = file;
    [this.moments, this.origins] = [file.moments, []];
    this.place = this.otherPlace = 0;
    this.offerLinkSoon();
    this.tell(text("moments.opened", { count: file.moments.length, name, model: file.model }));
    this.show();
    this.elements.slider.focus();
  }

  /** Goes back to the present sentence. */
  private close(): void {
    this.pause();
    [this.opened, this.moments] = [null, []];
    this.tell("");
    this.look();
    this.elements.slider.focus();
  }

  private turn(): void {
    this.page.streams.wantConstraints(this.details, this.details.open);
    if (this.details.open) this.look();
    else this.pause();
  }

  private lookSoon(): void {
    if (this.details.open) this.frame ||= requestAnimationFrame(() => this.look());
  }

  /** Takes what has come since; whoever is at the last moment goes along, all others stay where they are. */
  private look(): void {
    this.frame = 0;
    if (this.opened) return;
    const [before, now] = [this.origins, this.present ? this.recorded.of(this.present) : []];
    if (isSame(before, now) && this.moments.length === now.length) return this.show();
    [this.origins, this.moments] = [now, momentsOf(now)];
    this.place = this.placeNow(before, this.place);
    this.otherPlace = this.placeNow(before, this.otherPlace);
    this.offerLinkSoon();
    this.show();
  }

  private placeNow(before: readonly RecordedAnalysis[], place: number): number {
    const last = this.origins.length - 1;
    const now = this.origins.findIndex(({ sentence }) => sentence === before[place]?.sentence);
    return now < 0 || (place === before.length - 1 && this.timer === null) ? Math.max(0, last) : now;
  }

  // --- time ---------------------------------------------------------------------------------------------

  private goByHand(place: number): void {
    this.pause();
    this.go(place);
  }

  private go(place: number): void {
    this.place = Math.min(Math.max(place, 0), this.moments.length - 1);
    this.show();
  }

  /** Each moment after as long as it took then; from the last one it begins again. */
  private play(): void {
    if (this.place === this.moments.length - 1) this.go(0);
    this.timer = window.setTimeout(() => this.playOn(), this.wait);
    this.showPlaying();
  }

  private playOn(): void {
    this.go(this.place + 1);
    if (this.place === this.moments.length - 1) this.pause();
    else this.timer = window.setTimeout(() => this.playOn(), this.wait);
  }

  private pause(): void {
    clearTimeout(this.timer ?? undefined);
    this.timer = null;
    this.showPlaying();
  }

  /** Milliseconds until the next moment. */
  private get wait(): number {
    const [now, next] = [this.moments[this.place], this.moments[this.place + 1]];
    return now && next ? (next.time - now.time) / this.speed : 0;
  }

  private get speed(): number {
    return Number(this.elements.speed.value);
  }

  /** What is played is not read aloud, moment after moment. */
  private showPlaying(): void {
    const isPlaying = this.timer !== null;
    this.elements.play.textContent = text(isPlaying ? "moments.pause" : "moments.play");
    this.elements.told.setAttribute("aria-live", isPlaying ? "off" : "polite");
  }

  // --- drawing ------------------------------------------------------------------------------------------

  private show(): void {
    const { elements, moments, place } = this;
    const moment = moments[place];
    elements.showFrame(moment !== undefined);
    elements.back.hidden = this.opened === null;
    if (!moment) return;
    const { language } = this.shown;
    this.draw(elements.tree, moment);
    elements.sentence.textContent = moment.text;
    elements.sentence.lang = language;
    elements.told.textContent = momentTold(moment, place, moments.length);
    this.turnSlider(elements.slider, place);
    elements.earlier.disabled = place === 0;
    elements.later.disabled = place === moments.length - 1;
    this.showComparison();
    this.showChanges(moment, language);
  }

  private draw(tree: MomentElements["tree"], moment: Moment): void {
    tree.lang = this.shown.language;
    tree.analysis = moment.tree;
  }

  private turnSlider(slider: HTMLInputElement, place: number): void {
    slider.max = String(this.moments.length - 1);
    slider.value = String(place);
    slider.setAttribute("aria-valuetext", valueTold(this.moments[place]!, place, this.moments.length));
  }

  private showComparison(): void {
    const { comparison, compares, other, otherTold, otherTree } = this.elements;
    comparison.hidden = !compares.checked;
    if (!compares.checked) return;
    const moment = this.moments[this.otherPlace]!;
    this.draw(otherTree, moment);
    this.turnSlider(other, this.otherPlace);
    otherTold.textContent = momentTold(moment, this.otherPlace, this.moments.length);
  }

  /** What changed from one of both moments to the other, in the order of time, or else since the moment before. */
  private showChanges(moment: Moment, language: string): void {
    const { compares, changes, summary, tree, otherTree } = this.elements;
    const isCompared = compares.checked;
    const other = this.moments[isCompared ? this.otherPlace : this.place - 1];
    const isLater = isCompared && this.otherPlace > this.place;
    const found = other && (isLater ? changesBetween(moment, other) : changesBetween(other, moment));
    summary.textContent = found ? summaryTold(found, moment, isCompared) : text("moments.first");
    changes.replaceChildren(...(found ? changesTold(found, language).map(itemOf) : []));
    changes.hidden = !changes.children.length;
    tree.differing = found ? arcsChanged(found, isLater ? "earlier" : "later") : [];
    otherTree.differing = found ? arcsChanged(found, isLater ? "later" : "earlier") : [];
  }

  // --- what leaves the page -----------------------------------------------------------------------------

  /** Offers a link once nothing comes any more, where it is short enough. */
  private offerLinkSoon(): void {
    this.link = null;
    this.elements.link.hidden = true;
    clearTimeout(this.linkTimer);
    if (this.moments.length) this.linkTimer = window.setTimeout(() => void this.offerLink(), QUIET);
  }

  private async offerLink(): Promise<void> {
    const { moments } = this;
    const link = await linkOf(this.shown, location.origin + location.pathname);
    if (moments !== this.moments) return;
    this.link = link;
    this.elements.link.hidden = link === null;
  }

  /** All moments, at the speed that is chosen. */
  private get animation(): string {
    const [twin, start] = [this.elements.tree.twin(), this.moments[0]?.time ?? 0];
    const last = this.moments.at(-1)!;
    const frames = this.moments.map((moment) => {
      twin.analysis = moment.tree;
      return { svg: twin.toPaper(PICTURE_WIDTH), caption: captionOf(moment), time: (moment.time - start) / this.speed };
    });
    return animatedSvg(frames, last.text);
  }

  private tell(told: string): void {
    this.elements.news.textContent = told;
  }
}

function isSame(one: readonly RecordedAnalysis[], other: readonly RecordedAnalysis[]): boolean {
  return one.length === other.length && one.every((member, place) => member === other[place]);
}

function itemOf(told: readonly (string | HTMLElement)[]): HTMLLIElement {
  const item = document.createElement("li");
  item.append(...told);
  return item;
}
