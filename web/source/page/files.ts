/** Opens and saves CoNLL-U: a file's sentences become the text, and their trees sentences of the practice. */

import { conlluOf } from "../tree/index.ts";
import { sentencesOfConllu } from "./conllu_files.ts";
import { save } from "./exports.ts";
import { part, type Page } from "./page_parts.ts";
import { practiceOffered } from "./practice.ts";
import { treeOf } from "./tree_of_sentence.ts";

const MOST_OFFERED = 200; // a list to choose from; the text has all sentences

export function offerFiles({ document, editor }: Page): void {
  const chosen = part<HTMLInputElement>("file");
  part("open-conllu").onclick = () => chosen.click();
  part("save-conllu").onclick = () => {
    const sentences = document.sentences.map((sentence) => conlluOf(treeOf(sentence)));
    save(new Blob(sentences, { type: "text/plain" }), "text.conllu");
    tell(`Saved ${counted(sentences.length)}.`);
  };
  chosen.onchange = async () => {
    const file = chosen.files?.[0];
    if (file) tell(await opened(file, (text) => replaceText(editor, text)));
    chosen.value = "";
  };
}

/** What is told of a file that was opened, or could not be. */
async function opened(file: File, show: (text: string) => void): Promise<string> {
  try {
    const sentences = sentencesOfConllu(await file.text(), file.name);
    if (!sentences.length) return `${file.name} has no sentences.`;
    show(sentences.map(({ text }) => text).join("\n"));
    practiceOffered.emit(sentences.slice(0, MOST_OFFERED));
    return `Opened ${counted(sentences.length)} of ${file.name}; their trees are under Practice.`;
  } catch (error) {
    return `${file.name} cannot be opened: ${(error as Error).message}.`;
  }
}

function replaceText(editor: Page["editor"], text: string): void {
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text }, selection: { anchor: 0 } });
}

function counted(count: number): string {
  return count === 1 ? "1 sentence" : `${count} sentences`;
}

function tell(text: string): void {
  part("file-told").textContent = text;
}
