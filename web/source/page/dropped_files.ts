/** Files that are dropped anywhere on the page: the text would take them in, letter by letter, or the browser leave. */

const EARLY = { capture: true };

/** Offers each dropped file to `take`, which says whether it is for it. */
export function whenDropped(take: (file: File, event: DragEvent) => boolean): void {
  addEventListener("dragover", allowFiles, EARLY);
  addEventListener(
    "drop",
    (event) => {
      const [file] = event.dataTransfer?.files ?? [];
      if (!file || !take(file, event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    EARLY,
  );
}

function allowFiles(event: DragEvent): void {
  if ([...(event.dataTransfer?.items ?? [])].some(({ kind }) => kind === "file")) event.preventDefault();
}
