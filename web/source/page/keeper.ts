/**
 * Keeps what a tab would lose: text, cursor, options, model, view, and the file that was opened. No DOM in it.
 *
 * While one types it goes into the database every half second; when the page is left it goes into the tab's own
 * storage as well, since that is written at once.
 */

import { Signal, type OptionChanges } from "../client/index.ts";
import { claimTab, openTabs } from "./tabs.ts";
import {
  keepInThisTab,
  noteLeft,
  ofThisTab,
  TextStore,
  wasLeft,
  type ChangedParts,
  type KeptText,
  type OpenedFile,
} from "./text_store.ts";

const PAUSE = 500; // milliseconds
const MOST_KEPT = 20; // texts of tabs that are gone
const LONGEST_KEPT = 30 * 24 * 60 * 60 * 1000; // milliseconds

type State = Omit<KeptText, "id" | "time">;

const NOTHING: State = { text: "", cursor: 0, options: {}, model: null, speed: null };

export class Keeper {
  /** Whether the text is kept has changed. */
  readonly changed = new Signal<void>();
  /** The browser had ended with the text that stands here now. */
  hasEnded = false;
  /** Texts of tabs that are gone, the newest first; where tabs cannot be told apart, of other tabs. */
  left: KeptText[] = [];
  file: OpenedFile | null = null;
  /** What parts of that file have become. */
  rewritten: ReadonlyMap<number, string> = new Map();

  private readonly store = new TextStore();
  private id = "";
  private now: State = NOTHING;
  private timer = 0;
  /** Parts that are still to be written. */
  private changedParts = new Map<number, string | null>();
  /** Whether the database has taken the text; null where it has had none to take. */
  private isInDatabase: boolean | null = null;

  /** What this tab had, or what the browser had when it ended. */
  async restore(): Promise<State> {
    const before = ofThisTab<string>("id");
    this.id = await claimTab(before);
    keepInThisTab("id", this.id);
    noteLeft(this.id, false);
    const [others, open] = await Promise.all([this.readDatabase(), openTabs()]);
    const own = newest([ofThisTab<KeptText>("text"), ...others.filter(({ id }) => id === before)]);
    const gone = await this.keptOfGoneTabs(others.filter(({ id }) => id !== this.id && !open?.has(id)));
    const ended = own || !open ? null : (gone.find((one) => !wasLeft(one)) ?? null);
    this.left = gone.filter((one) => one !== ended);
    this.hasEnded = ended !== null;
    if (ended) return this.take(ended);
    if (own) await this.resume(own);
    return this.now;
  }

  /** A tab that was duplicated keeps a copy under its own id. */
  private async resume({ id, time: _, ...state }: KeptText): Promise<void> {
    if (id !== this.id) await this.takeFile(id, fileInThisTab());
    else {
      this.file = fileInThisTab() ?? (await this.readFile(id));
      this.rewritten = await this.readParts(id);
    }
    this.note(state);
  }

  private async takeFile(id: string, own: OpenedFile | null = null): Promise<void> {
    const [file, parts] = [own ?? (await this.readFile(id)), await this.readParts(id)];
    this.noteFile(file);
    this.noteParts(parts);
  }

  get options(): OptionChanges {
    return this.now.options;
  }

  /** Whether the database takes what is to be kept; null where there is nothing to keep, or not yet. */
  get isKeeping(): boolean | null {
    return this.now.text === "" ? null : this.isInDatabase;
  }

  /** Notes what has changed; it is written soon. */
  note(changes: Partial<State>): void {
    this.now = { ...this.now, ...changes };
    this.timer ||= window.setTimeout(() => void this.write(), PAUSE);
  }

  /** Writes at once what one would not do again: an edit at most is lost with the browser. */
  noteNow(changes: Partial<State>): void {
    this.now = { ...this.now, ...changes };
    void this.write();
  }

  noteFile(file: OpenedFile | null): void {
    this.file = file;
    this.rewritten = new Map();
    this.changedParts.clear();
    keepInThisTab("file", null);
    if (file) void this.store.putFile(this.id, file).catch(() => keepFileInThisTab(file));
  }

  /** Notes what parts of the file have become; it is written with what is noted next. */
  noteParts(rewritten: ReadonlyMap<number, string>): void {
    for (const number of new Set([...this.rewritten.keys(), ...rewritten.keys()])) {
      const contents = rewritten.get(number) ?? null;
      if (contents !== (this.rewritten.get(number) ?? null)) this.changedParts.set(number, contents);
    }
    this.rewritten = rewritten;
  }

  /** The page is left, or may be. */
  leave(): void {
    this.keepInTab();
    noteLeft(this.id, true);
    void this.write();
  }

  /** The page is there after all. */
  comeBack(): void {
    noteLeft(this.id, false);
  }

  /** Takes over the text of a tab that is gone. */
  async take(kept: KeptText): Promise<State> {
    this.left = this.left.filter((one) => one !== kept);
    const { id, time: _, ...state } = kept;
    await this.takeFile(id);
    this.note(state);
    await this.remove(id);
    return state;
  }

  /** Leaves the text as a tab does that is closed, and goes on as a new one; false where the browser cannot keep it. */
  async setAside(): Promise<boolean> {
    if (!(this.now.text || this.file)) return true;
    await this.write();
    if (this.isInDatabase === false) return false;
    const left = this.stamped;
    noteLeft(left.id, true);
    this.id = await claimTab(null);
    keepInThisTab("id", this.id);
    this.noteFile(null);
    this.now = { ...this.now, text: "", places: [], part: null, decisions: [] };
    this.left = [left, ...this.left];
    return true;
  }

  /** Keeps nothing more of this tab, until something is noted again. */
  async forget(): Promise<void> {
    this.now = NOTHING;
    this.file = null;
    this.rewritten = new Map();
    this.changedParts.clear();
    clearTimeout(this.timer);
    this.timer = 0;
    for (const name of ["text", "file"]) keepInThisTab(name, null);
    await this.remove(this.id);
  }

  /** Drops the text of a tab that is gone. */
  async drop(kept: KeptText): Promise<void> {
    this.left = this.left.filter((one) => one !== kept);
    await this.remove(kept.id);
  }

  // --- writing ------------------------------------------------------------------------------------------

  private keepInTab(): void {
    keepInThisTab("text", this.stamped);
  }

  private get stamped(): KeptText {
    return { ...this.now, id: this.id, time: Date.now() };
  }

  private async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = 0;
    const { text } = this.now;
    const { file } = this;
    const parts = this.changedParts;
    this.changedParts = new Map();
    const isDone = await this.put(this.stamped, parts);
    if (!isDone) this.keepInTab();
    if (!isDone && file === this.file) this.changedParts = new Map([...parts, ...this.changedParts]);
    this.isInDatabase = isDone && text === "" ? null : isDone;
    this.changed.emit();
  }

  /** An empty text is none: nothing is left of it for another tab. */
  private put(kept: KeptText, parts: ChangedParts): Promise<boolean> {
    const done = kept.text || this.rewritten.size ? this.store.put(kept, parts) : this.store.remove(kept.id);
    return done.then(
      () => true,
      () => false,
    );
  }

  private async remove(id: string): Promise<void> {
    noteLeft(id, false);
    await this.store.remove(id).catch(() => {}); // where there is no database, nothing was kept
  }

  // --- reading ------------------------------------------------------------------------------------------

  private async readDatabase(): Promise<KeptText[]> {
    try {
      return await this.store.texts();
    } catch {
      this.isInDatabase = false;
      return [];
    }
  }

  private readParts(id: string): Promise<ReadonlyMap<number, string>> {
    return this.store.partsOf(id).catch(() => new Map<number, string>());
  }

  private async readFile(id: string): Promise<OpenedFile | null> {
    const file = await this.store.fileOf(id).catch(() => undefined);
    return file?.blob ? file : null;
  }

  /** The newest first; too many and too old ones are dropped. */
  private async keptOfGoneTabs(gone: readonly KeptText[]): Promise<KeptText[]> {
    const newestFirst = [...gone].sort((one, other) => other.time - one.time);
    const isKept = ({ time }: KeptText, place: number) => place < MOST_KEPT && Date.now() - time < LONGEST_KEPT;
    for (const kept of newestFirst.filter((one, place) => !isKept(one, place))) await this.remove(kept.id);
    return newestFirst.filter(isKept);
  }
}

/** Where there is no database, a tab keeps the file as a text. */
function fileInThisTab(): OpenedFile | null {
  const kept = ofThisTab<{ name: string; contents: string }>("file");
  return kept && { name: kept.name, blob: new Blob([kept.contents]) };
}

async function keepFileInThisTab({ name, blob }: OpenedFile): Promise<void> {
  const contents = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await blob.arrayBuffer());
  keepInThisTab("file", { name, contents });
}

function newest(kept: readonly (KeptText | null)[]): KeptText | null {
  return kept.reduce((best, one) => (one && (!best || one.time > best.time) ? one : best), null);
}
