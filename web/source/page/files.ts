/** Opens and saves CoNLL-U: a file's sentences become the text, and their trees sentences of the practice. */

import { takeArriving } from "./arriving_conllu.ts";
import type { Outcome } from "./awaited_trees.ts";
import type { Decisions } from "./decisions.ts";
import { conlluFile, nameOf, type ConlluFile } from "./conllu_files.ts";
import { save } from "./exports.ts";
import { opened, type ShownPart } from "./file_annotations.ts";
import type { FileParts } from "./file_parts.ts";
import { part, replaceText, type Page } from "./page_parts.ts";
import { practiceOffered } from "./practice_part.ts";
import type { SavedConllu } from "./saved_conllu.ts";
import { SlicedFile, type FilePart } from "./sliced_file.ts";
import { text, type TextKey } from "./texts.ts";

const MOST_OFFERED = 200; // a list to choose from; the text has all sentences
const UNNAMED = "text.conllu";

const NOT_SAVED: Readonly<Record<Exclude<Outcome, "ready">, TextKey>> = {
  "too long": "files.long",
  late: "files.late",
  "called off": "files.not-saved",
};

export function offerFiles(page: Page): void {
  const chosen = part<HTMLInputElement>("file");
  const files = new Files(page);
  part("open-conllu").onclick = () => chosen.click();
  part("save-conllu").onclick = async () => tell(await files.save());
  part("cancel-save").onclick = () => files.callOff();
  chosen.onchange = async () => {
    const file = chosen.files?.[0];
    if (file) tell(await files.open(file, file.name));
    chosen.value = "";
  };
  takeArriving(page.editor.contentDOM, async (file, name = UNNAMED) => {
    const before = page.parts.annotations;
    tell(await files.open(file, name));
    if (page.parts.annotations === before) part("file-told").scrollIntoView({ block: "nearest" });
    else part("stepping-told").textContent = text("files.undo");
  });
}

/** What can be lost. */
interface Snapshot {
  readonly text: string;
  readonly decisions: Decisions;
  readonly shown: ShownPart | null;
  readonly rewritten: ReadonlyMap<number, string>;
}

class Files {
  /** What was opened or saved last: it can be replaced without asking. */
  private saved: Snapshot | null = null;
  /** The one that is kept. */
  private sliced: SlicedFile | null = null;

  constructor(private readonly page: Page) {
    page.fileChanged.listen(() => this.take());
    page.parts.waiting.listen(showWaiting);
    const { file, shown } = this.parts.annotations;
    this.sliced = shown?.sliced ?? null;
    if (!file) return;
    this.saved = { text: opened(file).text, decisions: [], shown: null, rewritten: new Map() };
    this.offerPractice();
  }

  private get parts(): FileParts {
    return this.page.parts;
  }

  /** What is told of a file that was opened, or was not. */
  async open(chosen: Blob, name: string): Promise<string> {
    try {
      return await this.show(new SlicedFile(name, chosen));
    } catch (error) {
      const reason = error instanceof TypeError ? text("files.no-text") : (error as Error).message;
      return text("files.not-opened", { name, reason });
    }
  }

  /** What is told of the text that was saved, or was not; it waits until all of it has its trees. */
  async save(): Promise<string> {
    this.page.interrupted.emit();
    const { shown } = this.parts.annotations;
    if (!this.parts.text.trim() && (shown?.sliced.parts.length ?? 0) < 2) return text("files.empty");
    const outcome = await this.parts.allTrees();
    return outcome === "ready" ? this.write() : text(NOT_SAVED[outcome]);
  }

  callOff(): void {
    this.parts.callOff();
  }

  private async write(): Promise<string> {
    const saved = this.parts.saved();
    const { file, placed, missing, shown } = this.parts.annotations;
    this.saved = this.snapshot;
    if (shown && shown.sliced.parts.length > 1) return this.writeAll(shown, this.parts.rewritten(shown));
    const name = file && placed.length ? file.name : UNNAMED;
    save(new Blob([saved.contents], { type: "text/plain" }), name);
    const gone = placed.length && missing ? [text("files.gone", { count: missing, name })] : [];
    return [...told(saved), ...gone].join(" ");
  }

  private async writeAll({ sliced }: ShownPart, rewritten: ReadonlyMap<number, string>): Promise<string> {
    save(await sliced.with(rewritten), sliced.name);
    const changed = await Promise.all([...rewritten].map((one) => changesIn(sliced, one)));
    const edited = changed.reduce((sum, one) => sum + one.edited, 0);
    const all = changed.reduce((sum, one) => sum + one.more, sliced.count);
    return savedTold(
      all,
      edited ? [text("files.kept", { count: all - edited }), text("files.edited", { count: edited })] : [],
    );
  }

  private get snapshot(): Snapshot {
    const { decisions, annotations } = this.parts;
    const { shown } = annotations;
    return {
      text: this.parts.text,
      decisions,
      shown,
      rewritten: shown ? this.parts.rewritten(shown) : new Map<number, string>(),
    };
  }

  private async show(sliced: SlicedFile): Promise<string> {
    const part = await firstWithSentences(sliced);
    const file = part && conlluFile(sliced.name, await sliced.textOf(part), part.line);
    if (!part || !file?.sentences.length) return text("files.none", { name: sliced.name });
    this.page.interrupted.emit();
    this.callOff();
    if (!this.mayReplace(sliced.name)) return text("files.text-stays", { name: sliced.name });
    const now = opened(file, { sliced, part, rewritten: new Map() });
    replaceText(this.page.editor, now.text, 0, now.annotations);
    this.saved = this.snapshot;
    return [openedTold(sliced, file), faultsTold(file), unreadTold(file)].filter(Boolean).join(" ");
  }

  private mayReplace(name: string): boolean {
    const isSaved = !this.parts.text.trim() || this.isSaved;
    return isSaved || confirm(text("files.ask", { name }));
  }

  /** Whether all is as it was opened or saved last. */
  private get isSaved(): boolean {
    const { saved, snapshot: now } = this;
    const hasDecided = now.decisions !== saved?.decisions && now.decisions.length > 0;
    if (saved?.text === now.text && !hasDecided && saved.shown === now.shown) return true;
    return now.shown !== null && isSameMap(saved?.rewritten ?? new Map(), now.rewritten);
  }

  private take(): void {
    const { shown } = this.parts.annotations;
    const { keeper } = this.page;
    if (this.sliced !== (shown?.sliced ?? null))
      keeper.noteFile(shown && { name: shown.sliced.name, blob: shown.sliced.blob });
    this.sliced = shown?.sliced ?? null;
    if (shown) keeper.noteParts(shown.rewritten);
    this.offerPractice();
  }

  private offerPractice(): void {
    practiceOffered.emit(this.parts.annotations.file?.sentences.slice(0, MOST_OFFERED) ?? []);
  }
}

function told({ kept, edited, parsed, joined, unfinished }: SavedConllu): string[] {
  const kinds = [
    ...(kept ? [text("files.kept", { count: kept })] : []),
    ...(edited ? [text("files.edited", { count: edited })] : []),
    ...(parsed ? [text("files.parsed", { count: parsed })] : []),
  ];
  return [
    savedTold(kept + edited + parsed, kept + edited && kinds.length > 1 ? kinds : []),
    ...(joined ? [text("files.joined", { count: joined })] : []),
    ...(unfinished ? [text("files.unfinished", { count: unfinished })] : []),
  ];
}

function savedTold(count: number, kinds: readonly string[]): string {
  const sentences = text("count.sentences", { count });
  if (!kinds.length) return text("files.saved", { sentences });
  return text("files.saved.kinds", { sentences, kinds: kinds.join(", ") });
}

/** The first sentence of a file whose heads are no tree, and how many others there are. */
function faultsTold({ sentences }: ConlluFile): string {
  const [first, ...others] = sentences.filter(({ fault }) => fault);
  if (!first) return "";
  const about = { name: nameOf(first), fault: first.fault };
  if (!others.length) return text("files.fault", about);
  return text("files.fault.more", { ...about, count: others.length });
}

/** How many sentences are known of a file that may still be read. */
function openedTold(sliced: SlicedFile, { sentences }: ConlluFile): string {
  const { name } = sliced;
  if (!sliced.isWhole) return text("files.opened.first", { name, count: sentences.length });
  return text("files.opened", { name, count: sliced.parts.length > 1 ? sliced.count : sentences.length });
}

function unreadTold({ unread: [first, ...others] }: ConlluFile): string {
  if (!first) return "";
  if (!others.length) return text("files.unread", { first });
  return text("files.unread.more", { first, count: others.length });
}

async function firstWithSentences(sliced: SlicedFile): Promise<FilePart | null> {
  let part = await sliced.part(0);
  while (part && !part.count) part = await sliced.part(part.number + 1);
  return part ?? (await sliced.part(0));
}

/** How many sentences of a part are others now, and how many more there are. */
async function changesIn(
  sliced: SlicedFile,
  [number, contents]: [number, string],
): Promise<{ edited: number; more: number }> {
  const part = (await sliced.part(number))!;
  const sources = (contents: string) =>
    conlluFile(sliced.name, contents, part.line).sentences.map(({ source }) => source);
  const [before, now] = [sources(await sliced.textOf(part)), sources(contents)];
  const known = new Set(before);
  return { edited: now.filter((source) => !known.has(source)).length, more: now.length - before.length };
}

function isSameMap(one: ReadonlyMap<number, string>, other: ReadonlyMap<number, string>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}

function showWaiting(isWaiting: boolean): void {
  part("cancel-save").hidden = !isWaiting;
  if (isWaiting) tell(text("files.waiting"));
}

function tell(told: string): void {
  part("file-told").textContent = told;
}
