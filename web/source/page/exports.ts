/** The buttons that copy and save the tree. */

import type { DepTree, PhraseTree } from "../tree/index.ts";
import type { AnnotatedSentence } from "./annotated_sentences.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";
import { text } from "./texts.ts";

const TOLD = 1500; // milliseconds

export function offerExports({ current, view, source }: Page): void {
  const [tree, phrases] = [part<DepTree>("tree"), part<PhraseTree>("phrases")];
  const hasPhrases = () => view.shown !== "dependencies";
  const shown = () => (hasPhrases() ? phrases : tree);
  const copied = () => text(hasPhrases() ? "exports.brackets" : "exports.conllu");
  const buttons = ["copy-conllu", "copy-latex", "save-svg", "save-png", "print"].map(button);
  const [copy, latex] = [button("copy-conllu"), button("copy-latex")];
  const enable = (isEnabled: boolean) => buttons.forEach((one) => (one.disabled = !isEnabled));
  const [tellOfCopy, tellOfLatex] = [teller(copy, copied), teller(latex, () => text("exports.latex"))];
  view.changed.listen(() => (copy.textContent = copied()));
  enable(false);
  let now: CurrentSentence | null = null;
  current.listen((next) => {
    now = next;
    const isShown = source.of(now) !== null;
    if (copy.disabled === isShown) enable(isShown);
  });
  copy.onclick = async () => {
    const isDone = hasPhrases()
      ? await copyOrSave(phrases.toBrackets(), "tree.ptb")
      : await copyOrSave(conlluOf(now && source.of(now)), "tree.conllu");
    tellOfCopy(isDone);
  };
  latex.onclick = async () => tellOfLatex(await copyOrSave(shown().toLaTeX(), "tree.tex"));
  button("save-svg").onclick = () => save(new Blob([shown().toSVG()], { type: "image/svg+xml" }), "tree.svg");
  button("save-png").onclick = async () => save(await shown().toPNG(), "tree.png");
}

function button(id: string): HTMLButtonElement {
  return part<HTMLButtonElement>(id);
}

/** Says for a moment, on a button, what has become of the text that it copies. */
function teller(button: HTMLButtonElement, title: () => string): (isCopied: boolean) => void {
  let timer = 0;
  return (isCopied) => {
    clearTimeout(timer);
    button.textContent = text(isCopied ? "exports.copied" : "exports.saved");
    timer = window.setTimeout(() => (button.textContent = title()), TOLD);
  };
}

/** The sentence with a blank line behind it. */
function conlluOf(annotated: AnnotatedSentence | null): string {
  return annotated ? `${annotated.conllu().trim()}\n\n` : "";
}

/** Whether it is in the clipboard; if no way leads there, it is saved as a file. */
export async function copyOrSave(contents: string, name: string): Promise<boolean> {
  if (await isTakenByClipboard(contents)) return true;
  if (isTakenAsSelection(contents)) return true;
  save(new Blob([contents], { type: "text/plain" }), name);
  return false;
}

/** Pages that come neither by HTTPS nor from this machine have no clipboard. */
async function isTakenByClipboard(contents: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(contents);
    return true;
  } catch {
    return false;
  }
}

/** The old way, which every page has. */
function isTakenAsSelection(contents: string): boolean {
  let isTaken = false;
  const take = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", contents);
    event.preventDefault();
    event.stopImmediatePropagation();
    isTaken = event.clipboardData !== null;
  };
  document.addEventListener("copy", take, { capture: true, once: true });
  const isDone = document.execCommand("copy");
  document.removeEventListener("copy", take, { capture: true });
  return isDone && isTaken;
}

/** Hands a file to the reader. */
export function save(blob: Blob, name: string): void {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
