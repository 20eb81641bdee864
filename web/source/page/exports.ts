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
  const [copy, svg, png] = ["copy-conllu", "save-svg", "save-png"].map((id) => part<HTMLButtonElement>(id)) as [
    HTMLButtonElement,
    HTMLButtonElement,
    HTMLButtonElement,
  ];
  const enable = (isEnabled: boolean) => [copy, svg, png].forEach((button) => (button.disabled = !isEnabled));
  let timer = 0;
  const name = () => (copy.textContent = text(hasPhrases() ? "exports.brackets" : "exports.conllu"));
  const tell = (told: string) => {
    clearTimeout(timer);
    copy.textContent = told;
    timer = window.setTimeout(name, TOLD);
  };
  view.changed.listen(name);
  enable(false);
  let now: CurrentSentence | null = null;
  current.listen((next) => {
    now = next;
    const isShown = source.of(now) !== null;
    if (copy.disabled === isShown) enable(isShown);
  });
  copy.onclick = async () => {
    const isDone = hasPhrases()
      ? await isCopied(phrases.toBrackets(), "tree.ptb")
      : await isCopied(conlluOf(now && source.of(now)), "tree.conllu");
    tell(text(isDone ? "exports.copied" : "exports.saved"));
  };
  svg.onclick = () => save(new Blob([shown().toSVG()], { type: "image/svg+xml" }), "tree.svg");
  png.onclick = async () => save(await shown().toPNG(), "tree.png");
}

/** The sentence with a blank line behind it. */
function conlluOf(annotated: AnnotatedSentence | null): string {
  return annotated ? `${annotated.conllu().trim()}\n\n` : "";
}

/** Whether it is in the clipboard; if no way leads there, it is saved as a file. */
async function isCopied(contents: string, name: string): Promise<boolean> {
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
