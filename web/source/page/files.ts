/** Opens and saves CoNLL-U: a file's sentences become the text, and their trees sentences of the practice. */

import { sentencesOfConllu, type FileSentence } from "./conllu_files.ts";
import { save } from "./exports.ts";
import { part, replaceText, type Page } from "./page_parts.ts";
import { practiceOffered } from "./practice.ts";
import { savedConllu, type SavedConllu } from "./saved_conllu.ts";
import type { OpenedFile } from "./text_store.ts";

const MOST_OFFERED = 200; // a list to choose from; the text has all sentences

export function offerFiles(page: Page): void {
  const chosen = part<HTMLInputElement>("file");
  const files = new Files(page);
  part("open-conllu").onclick = () => chosen.click();
  part("save-conllu").onclick = () => tell(files.save());
  chosen.onchange = async () => {
    const file = chosen.files?.[0];
    if (file) tell(await files.open(file));
    chosen.value = "";
  };
}

class Files {
  private sentences: readonly FileSentence[] = [];
  /** The text as it was opened or saved last: it can be replaced without asking. */
  private saved = "";

  constructor(private readonly page: Page) {
    if (page.keeper.file) this.take(page.keeper.file);
  }

  /** What is told of a file that was opened, or was not. */
  async open(chosen: File): Promise<string> {
    try {
      const contents = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await chosen.arrayBuffer());
      return this.show({ name: chosen.name, contents });
    } catch (error) {
      const reason = error instanceof TypeError ? "it is not a text in UTF-8" : (error as Error).message;
      return `${chosen.name} cannot be opened: ${reason}.`;
    }
  }

  /** What is told of the text that was saved, or was not. */
  save(): string {
    this.page.interrupted.emit();
    if (!this.text.trim()) return "There is nothing to save: the text is empty.";
    const saved = savedConllu(this.text, this.page.document.sentences, this.sentences);
    if (!saved.contents) return "There is nothing to save yet: no sentence has been parsed.";
    save(new Blob([saved.contents], { type: "text/plain" }), this.page.keeper.file?.name ?? "text.conllu");
    this.saved = this.text;
    return `Saved ${told(saved)}`;
  }

  private get text(): string {
    return this.page.editor.state.doc.toString();
  }

  private show(file: OpenedFile): string {
    const sentences = sentencesOfConllu(file.contents, file.name);
    if (!sentences.length) return `${file.name} has no sentences.`;
    this.page.interrupted.emit();
    if (!this.mayReplace(file.name)) return `${file.name} was not opened: the text stays.`;
    this.page.keeper.noteFile(file);
    this.take(file, sentences);
    replaceText(this.page.editor, this.saved, 0);
    return `Opened ${counted(sentences.length)} of ${file.name}; their trees are kept, and under Practice.`;
  }

  private mayReplace(name: string): boolean {
    const isSaved = !this.text.trim() || this.text === this.saved;
    return isSaved || confirm(`The text has not been saved as CoNLL-U. Open ${name} in its place?`);
  }

  /** Sentences stand apart, so that none runs into the next. */
  private take({ contents, name }: OpenedFile, sentences = sentencesOfConllu(contents, name)): void {
    this.sentences = sentences;
    this.saved = sentences.map(({ text }) => text).join("\n\n");
    practiceOffered.emit(sentences.slice(0, MOST_OFFERED));
  }
}

function told({ kept, parsed, missing }: SavedConllu): string {
  const ofFile = kept && parsed ? `: ${kept} as they were opened, ${parsed} as they are parsed` : "";
  const rest = missing ? ` ${missing === 1 ? "1 line is" : `${missing} lines are`} not parsed yet, and left out.` : "";
  return `${counted(kept + parsed)}${ofFile}.${rest}`;
}

function counted(count: number): string {
  return count === 1 ? "1 sentence" : `${count} sentences`;
}

function tell(text: string): void {
  part("file-told").textContent = text;
}
