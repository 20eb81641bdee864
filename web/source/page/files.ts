/** Opens and saves CoNLL-U: a file's sentences become the text, and their trees sentences of the practice. */

import { annotationsOf } from "./annotations_field.ts";
import { AwaitedTrees, type Outcome } from "./awaited_trees.ts";
import type { Decisions } from "./decisions.ts";
import { decisionsOf } from "./decisions_field.ts";
import { conlluFile, nameOf, type ConlluFile } from "./conllu_files.ts";
import { save } from "./exports.ts";
import { opened, type FileAnnotations } from "./file_annotations.ts";
import { part, replaceText, type Page } from "./page_parts.ts";
import { practiceOffered } from "./practice.ts";
import { savedConllu, type SavedConllu } from "./saved_conllu.ts";

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

class Files {
  /** The text as it was opened or saved last: it can be replaced without asking. */
  private saved = "";
  /** What was decided then. */
  private savedDecisions: Decisions = [];
  private awaited: AwaitedTrees | null = null;

  constructor(private readonly page: Page) {
    page.fileChanged.listen(() => this.take());
    const { file } = this.annotations;
    if (!file) return;
    this.saved = opened(file).text;
    this.offerPractice();
  }

  /** What is told of a file that was opened, or was not. */
  async open(chosen: File): Promise<string> {
    try {
      const contents = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await chosen.arrayBuffer());
      return this.show(conlluFile(chosen.name, contents));
    } catch (error) {
      const reason = error instanceof TypeError ? "it is not a text in UTF-8" : (error as Error).message;
      return `${chosen.name} cannot be opened: ${reason}.`;
    }
  }

  /** What is told of the text that was saved, or was not; it waits until all of it has its trees. */
  async save(): Promise<string> {
    this.page.interrupted.emit();
    this.callOff();
    if (!this.text.trim()) return "There is nothing to save: the text is empty.";
    const outcome = await this.allTrees();
    return outcome === "ready" ? this.write() : NOT_SAVED[outcome];
  }

  callOff(): void {
    this.awaited?.callOff();
  }

  private async allTrees(): Promise<Outcome> {
    const awaited = new AwaitedTrees(this.page);
    this.awaited = awaited;
    const timer = setTimeout(() => showWaiting(true), 0); // not if all is there
    const outcome = await awaited.outcome;
    clearTimeout(timer);
    if (this.awaited === awaited) showWaiting(false);
    return outcome;
  }

  private write(): string {
    const saved = savedConllu(this.text, this.page.document.sentences, this.annotations, this.decisions);
    const { file, placed, missing } = this.annotations;
    const name = file && placed.length ? file.name : UNNAMED;
    save(new Blob([saved.contents], { type: "text/plain" }), name);
    this.saved = this.text;
    this.savedDecisions = this.decisions;
    return `Saved ${told(saved)}${placed.length && missing ? ` ${goneTold(missing, name)}` : ""}`;
  }

  private get text(): string {
    return this.page.editor.state.doc.toString();
  }

  private get decisions(): Decisions {
    return decisionsOf(this.page.editor.state);
  }

  private get annotations(): FileAnnotations {
    return annotationsOf(this.page.editor.state);
  }

  private show(file: ConlluFile): string {
    if (!file.sentences.length) return `${file.name} has no sentences.`;
    this.page.interrupted.emit();
    this.callOff();
    if (!this.mayReplace(file.name)) return `${file.name} was not opened: the text stays.`;
    const { text, annotations } = opened(file);
    this.saved = text;
    replaceText(this.page.editor, text, 0, annotations);
    this.savedDecisions = this.decisions;
    const trees = `Opened ${counted(file.sentences.length)} of ${file.name}; their trees are kept, and under Practice.`;
    return `${trees}${faultsTold(file)}`;
  }

  private mayReplace(name: string): boolean {
    const isDecidedAnew = this.decisions !== this.savedDecisions && this.decisions.length > 0;
    const isSaved = !this.text.trim() || (this.text === this.saved && !isDecidedAnew);
    return isSaved || confirm(`The text has not been saved as CoNLL-U. Open ${name} in its place?`);
  }

  private take(): void {
    const { file } = this.annotations;
    this.page.keeper.noteFile(file && { name: file.name, contents: file.contents });
    this.offerPractice();
  }

  private offerPractice(): void {
    practiceOffered.emit(this.annotations.file?.sentences.slice(0, MOST_OFFERED) ?? []);
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

function counted(count: number): string {
  return count === 1 ? "1 sentence" : `${count} sentences`;
}

function showWaiting(isWaiting: boolean): void {
  part("cancel-save").hidden = !isWaiting;
  if (isWaiting) tell("Saving waits until all of the text has its trees.");
}

function tell(text: string): void {
  part("file-told").textContent = text;
}
