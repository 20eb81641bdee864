/** Records how trees come about, and loads what shows it when that is opened, by hand, by a link or by a file. */

import type { PlacedSentence } from "../client/index.ts";
import { whenDropped } from "./dropped_files.ts";
import { LatePart } from "./late_parts.ts";
import { MOMENTS_LINK } from "./moments_link.ts";
import { part, type Page } from "./page_parts.ts";
import { RecordedAnalyses } from "./recorded_analyses.ts";

export function offerMoments(page: Page): void {
  const recorded = new RecordedAnalyses(page.document, () => performance.now());
  let present: PlacedSentence | null = null;
  page.current.listen(({ sentence }) => (present = sentence));
  const moments = new LatePart(part<HTMLDetailsElement>("moments"), async () => {
    const { MomentsPart } = await import("../moments/moments_part.ts");
    return new MomentsPart(page, recorded, present);
  });
  const openLink = async () => {
    if (location.hash.startsWith(MOMENTS_LINK)) await (await moments.get())?.openLink(location.hash);
  };
  addEventListener("hashchange", () => void openLink());
  void openLink();
  whenDropped((file) => {
    if (!file.name.endsWith(".json")) return false;
    void moments.get().then((part) => part?.openFile(file));
    return true;
  });
}
