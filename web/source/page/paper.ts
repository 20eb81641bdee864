/** The sentence and its tree on paper, or in a PDF: whatever the page shows, in rows as wide as paper, dark on white. */

import type { DepTree, PhraseTree } from "../tree/index.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";

const WIDTH = 660; // px, of A4 or letter paper within its margins

export function offerPaper({ current, editor, view, source }: Page): void {
  let now: CurrentSentence | null = null;
  current.listen((next) => (now = next));
  const paper = document.createElement("div");
  paper.id = "paper";
  const lay = () => {
    const sentence = now && source.of(now)?.tree;
    if (!sentence) return;
    const tree = part<DepTree | PhraseTree>(view.shown === "dependencies" ? "tree" : "phrases");
    const text = document.createElement("p");
    text.textContent = editor.state.sliceDoc(sentence.from, sentence.to).trim();
    [text.dir, text.lang] = ["auto", tree.lang];
    paper.innerHTML = tree.toPaper(WIDTH);
    paper.prepend(text);
    document.body.append(paper);
    document.documentElement.classList.add("on-paper");
  };
  const clear = () => {
    paper.remove();
    document.documentElement.classList.remove("on-paper");
  };
  addEventListener("beforeprint", lay);
  addEventListener("afterprint", clear);
  part("print").onclick = () => print();
}
