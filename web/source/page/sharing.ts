/** Links that carry a text: what copies and opens them is loaded when it is first used. */

import { part, type Page } from "./page_parts.ts";
import { text } from "./texts.ts";

export function offerSharing(page: Page): void {
  const withLinks = async (use: (links: typeof import("../sharing/shared_text.ts")) => Promise<void>) => {
    try {
      await use(await import("../sharing/shared_text.ts"));
    } catch {
      part("shared").textContent = text("late.failed");
    }
  };
  const open = () => location.hash.startsWith("#text=") && void withLinks(({ openLink }) => openLink(page));
  part("copy-link").onclick = () => void withLinks(({ copyLink }) => copyLink(page));
  addEventListener("hashchange", open);
  open();
}
