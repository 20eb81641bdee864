/** Conflicts that earlier analyses have found, shown until the constraints are looked at again. */

import type { PlacedSentence } from "./analyses.ts";
import type { AnalysisMessage, ConflictView } from "./protocol.ts";

/** The sentence, with what is kept of earlier ones, the newest first, if its own conflicts are still to come. */
export function withKeptConflicts(sentence: PlacedSentence, earlier: readonly PlacedSentence[]): PlacedSentence {
  return awaitsConflicts(sentence.analysis) ? { ...sentence, conflicts: keptConflicts(sentence, earlier) } : sentence;
}

/** Whether L2, which finds the conflicts, is still to come. */
function awaitsConflicts({ stage, levels, cut_short }: AnalysisMessage): boolean {
  return (stage === "initial" || stage === "improved") && !levels.includes("L2") && !cut_short;
}

/** Each word's conflicts are those of the newest earlier sentence that has it. */
function keptConflicts(sentence: PlacedSentence, earlier: readonly PlacedSentence[]): ConflictView[] {
  const unasked = new Map(sentence.words.map(({ id, number }) => [id, number]));
  return earlier.flatMap((before) => {
    const numbers = new Map<number, number>();
    for (const { id, number } of before.words) {
      const now = unasked.get(id);
      if (now && formOf(before, number) === formOf(sentence, now)) numbers.set(number, now);
      unasked.delete(id);
    }
    return before.conflicts.flatMap((conflict) => renumbered(conflict, numbers) ?? []);
  });
}

/** The conflict in new numbers; null if a word has none. */
function renumbered(conflict: ConflictView, numbers: ReadonlyMap<number, number>): ConflictView | null {
  const words = conflict.words.flatMap((number) => numbers.get(number) ?? []);
  return words.length === conflict.words.length ? { ...conflict, words } : null;
}

function formOf({ analysis }: PlacedSentence, number: number): string | undefined {
  return analysis.words[number - 1]?.form;
}
