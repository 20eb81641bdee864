/** The ways to the parts of the page: one that has tools, none of them open, opens its first one. */

import { part, type Page } from "./page_parts.ts";

export function offerWays({ editor }: Page): void {
  part("parts").addEventListener("click", (event) => {
    const link = (event.target as Element).closest("a");
    const place = link && document.querySelector(link.hash);
    if (!place) return;
    const tools = [...place.querySelectorAll<HTMLDetailsElement>(":scope > details")];
    if (tools[0] && tools.every(({ open }) => !open)) tools[0].open = true;
    if (place.id !== "write") return;
    event.preventDefault();
    editor.focus();
    place.scrollIntoView();
  });
}
