/** The buttons that copy and save the tree. */

import type { DepTree } from "../tree/index.ts";
import { part, type Page } from "./page_parts.ts";

export function offerExports({ current }: Page): void {
  const tree = part<DepTree>("tree");
  const [copy, svg, png] = ["copy-conllu", "save-svg", "save-png"].map((id) => part<HTMLButtonElement>(id)) as [
    HTMLButtonElement,
    HTMLButtonElement,
    HTMLButtonElement,
  ];
  const enable = (isEnabled: boolean) => [copy, svg, png].forEach((button) => (button.disabled = !isEnabled));
  enable(false);
  current.listen(({ sentence }) => {
    if (copy.disabled === (sentence !== null)) enable(sentence !== null);
  });
  copy.onclick = () => copyText(copy, tree.toConllu());
  svg.onclick = () => save(new Blob([tree.toSVG()], { type: "image/svg+xml" }), "tree.svg");
  png.onclick = async () => save(await tree.toPNG(), "tree.png");
}

async function copyText(button: HTMLButtonElement, text: string): Promise<void> {
  const before = button.textContent;
  const isCopied = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
  if (!isCopied) return save(new Blob([text], { type: "text/plain" }), "tree.conllu");
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = before), 1500);
}

/** Hands a file to the reader. */
export function save(blob: Blob, name: string): void {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
