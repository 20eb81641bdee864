/** Parts of the page whose scripts are loaded when they are first opened. */

import { text } from "./texts.ts";

export class LatePart<Kind> {
  private readonly trouble = Object.assign(document.createElement("p"), { className: "told", role: "status" });
  private loading: Promise<Kind | null> | null = null;

  /** `load` fetches the scripts of what `details` holds, and puts it there. */
  constructor(
    private readonly details: HTMLDetailsElement,
    private readonly load: () => Promise<Kind>,
  ) {
    this.hold(true);
    details.append(this.trouble);
    details.addEventListener("toggle", () => details.open && !this.hasFailed && void this.get());
  }

  /** The part, which is loaded once; null where it cannot be had, which it says in its place. */
  get(): Promise<Kind | null> {
    return (this.loading ??= this.loaded());
  }

  private get hasFailed(): boolean {
    return this.trouble.hasChildNodes();
  }

  private async loaded(): Promise<Kind | null> {
    this.trouble.replaceChildren();
    if (!(await serverAnswers())) return this.tell(() => void this.get());
    try {
      const part = await this.load();
      this.hold(false);
      return part;
    } catch (error) {
      console.warn(error);
      return this.tell(() => location.reload());
    }
  }

  /** What stands in the page before its script is there would not act. */
  private hold(isHeld: boolean): void {
    for (const child of this.details.children)
      if (child instanceof HTMLElement && child.tagName !== "SUMMARY") child.inert = isHeld;
  }

  private tell(tryAgain: () => void): null {
    this.loading = null;
    const again = Object.assign(document.createElement("button"), { type: "button", textContent: text("late.again") });
    again.onclick = tryAgain;
    this.trouble.append(text("late.failed"), " ", again);
    this.details.open = true;
    return null;
  }
}

/** Browsers may remember until the page is loaded anew that a script could not be had: none is asked for in vain. */
function serverAnswers(): Promise<boolean> {
  return fetch(import.meta.url, { method: "HEAD", cache: "no-store" }).then(
    () => true,
    () => false,
  );
}
