/** Opens and saves CoNLL-U: a file's sentences become the text, and their trees sentences of the practice. */

import type { Outcome } from "./awaited_trees.ts";
import type { Decisions } from "./decisions.ts";
import { conlluFile, nameOf, type ConlluFile } from "./conllu_files.ts";
import { save } from "./exports.ts";
import { opened, type ShownPart } from "./file_annotations.ts";
import type { FileParts } from "./file_parts.ts";
import { part, replaceText, type Page } from "./page_parts.ts";
import { practiceOffered } from "./practice.ts";
import type { SavedConllu } from "./saved_conllu.ts";
import { SlicedFile, type FilePart } from "./sliced_file.ts";

const MOST_OFFERED = 200; // a list to choose from; the text has all sentences
const UNNAMED = "text.conllu";

const NOT_SAVED: Readonly<Record<Exclude<Outcome, "ready">, string>> = {
  "too long": "Not saved: the text is too long to be parsed, so some of it has no trees. Cut a part out first.",
  late: "Not saved: some of the text has no trees yet, since the server does not answer. Save again when it does.",
  "called off": "Not saved.",
};

export function offerFiles(page: Page): void {
  const chosen = part<HTMLInputElement>("file");
  const files = new Files(page);
  part("open-conllu").onclick = () => chosen.click();
  part("save-conllu").onclick = async () => tell(await files.save());
  part("cancel-save").onclick = () => files.callOff();
  chosen.onchange = async () => {
    const file = chosen.files?.[0];
    if (file) tell(await files.open(file));
    chosen.value = "";
  };
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
  async open(chosen: File): Promise<string> {
    try {
      return await this.show(new SlicedFile(chosen.name, chosen));
    } catch (error) {
      const reason = error instanceof TypeError ? "it is not a text in UTF-8" : (error as Error).message;
      return `${chosen.name} cannot be opened: ${reason}.`;
    }
  }

  /** What is told of the text that was saved, or was not; it waits until all of it has its trees. */
  async save(): Promise<string> {
    this.page.interrupted.emit();
    const { shown } = this.parts.annotations;
    if (!this.parts.text.trim() && (shown?.sliced.parts.length ?? 0) < 2)
      return "There is nothing to save: the text is empty.";
    const outcome = await this.parts.allTrees();
    return outcome === "ready" ? this.write() : NOT_SAVED[outcome];
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
    return `Saved ${told(saved)}${placed.length && missing ? ` ${goneTold(missing, name)}` : ""}`;
  }

  private async writeAll({ sliced }: ShownPart, rewritten: ReadonlyMap<number, string>): Promise<string> {
    save(await sliced.with(rewritten), sliced.name);
    const changed = await Promise.all([...rewritten].map((one) => changesIn(sliced, one)));
    const edited = changed.reduce((sum, one) => sum + one.edited, 0);
    const all = changed.reduce((sum, one) => sum + one.more, sliced.count);
    return `Saved ${counted(all)}${edited ? `: ${all - edited} as they were opened, ${edited} edited` : ""}.`;
  }

  private get snapshot(): Snapshot {
    const { text, decisions, annotations } = this.parts;
    const { shown } = annotations;
    return { text, decisions, shown, rewritten: shown ? this.parts.rewritten(shown) : new Map<number, string>() };
  }

  private async show(sliced: SlicedFile): Promise<string> {
    const part = await firstWithSentences(sliced);
    const file = part && conlluFile(sliced.name, await sliced.textOf(part), part.line);
    if (!part || !file?.sentences.length) return `${sliced.name} has no sentences.`;
    this.page.interrupted.emit();
    this.callOff();
    if (!this.mayReplace(sliced.name)) return `${sliced.name} was not opened: the text stays.`;
    const { text, annotations } = opened(file, { sliced, part, rewritten: new Map() });
    replaceText(this.page.editor, text, 0, annotations);
    this.saved = this.snapshot;
    const trees = `Opened ${openedTold(sliced, file)} of ${sliced.name}; their trees are kept, and under Practice.`;
    return `${trees}${faultsTold(file)}${unreadTold(file)}`;
  }

  private mayReplace(name: string): boolean {
    const isSaved = !this.parts.text.trim() || this.isSaved;
    return isSaved || confirm(`The text has not been saved as CoNLL-U. Open ${name} in its place?`);
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

function told({ kept, edited, parsed, joined, unfinished }: SavedConllu): string {
  const kinds = [
    kept && `${kept} as they were opened`,
    edited && `${edited} edited`,
    parsed && `${parsed} as they are parsed`,
  ].filter(Boolean);
  const ofFile = kept + edited && kinds.length > 1 ? `: ${kinds.join(", ")}` : "";
  const more = [
    joined && `${counted(joined)} joined to the one before, under "joined_sent_id".`,
    unfinished && `${counted(unfinished)} unfinished: words that wait for words to come hang on others until then.`,
  ].filter(Boolean);
  return [`${counted(kept + edited + parsed)}${ofFile}.`, ...more].join(" ");
}

function goneTold(missing: number, name: string): string {
  return `${counted(missing)} of ${name} ${missing === 1 ? "is" : "are"} no longer in the text.`;
}

/** The first sentence of a file whose heads are no tree, and how many others there are. */
function faultsTold({ sentences }: ConlluFile): string {
  const [first, ...others] = sentences.filter(({ fault }) => fault);
  if (!first) return "";
  const more = others.length
    ? `; ${counted(others.length)} more ${others.length === 1 ? "has" : "have"} such faults`
    : "";
  return ` Sentence ${nameOf(first)} is no tree, ${first.fault}${more}.`;
}

/** How many sentences are known of a file that may still be read. */
function openedTold(sliced: SlicedFile, { sentences }: ConlluFile): string {
  if (!sliced.isWhole) return `the first ${counted(sentences.length)}`;
  return counted(sliced.parts.length > 1 ? sliced.count : sentences.length);
}

function unreadTold({ unread: [first, ...others] }: ConlluFile): string {
  if (!first) return "";
  const more = others.length ? `, and ${others.length} more such faults` : "";
  return ` What cannot be read stays as it is: ${first}${more}.`;
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
  const sources = (text: string) => conlluFile(sliced.name, text, part.line).sentences.map(({ source }) => source);
  const [before, now] = [sources(await sliced.textOf(part)), sources(contents)];
  const known = new Set(before);
  return { edited: now.filter((source) => !known.has(source)).length, more: now.length - before.length };
}

function isSameMap(one: ReadonlyMap<number, string>, other: ReadonlyMap<number, string>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}

function counted(count: number): string {
  return count === 1 ? "1 sentence" : `${count.toLocaleString("en")} sentences`;
}

function showWaiting(isWaiting: boolean): void {
  part("cancel-save").hidden = !isWaiting;
  if (isWaiting) tell("Saving waits until all of the text has its trees.");
}

function tell(text: string): void {
  part("file-told").textContent = text;
}
