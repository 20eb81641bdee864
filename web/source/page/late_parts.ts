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
    try {
      return await this.load();
    } catch (error) {
      console.warn(error);
      this.loading = null;
      this.tell();
      return null;
    }
  }

  private tell(): void {
    const again = Object.assign(document.createElement("button"), { type: "button", textContent: text("late.again") });
    again.onclick = () => void this.get();
    this.trouble.append(text("late.failed"), " ", again);
    this.details.open = true;
  }
}
