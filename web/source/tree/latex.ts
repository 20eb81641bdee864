/** Trees as LaTeX, for the package tikz-dependency. */

import type { TreeAnalysis } from "./analysis.ts";
import { finishedHeads } from "./finished_heads.ts";

const SPECIAL: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
};

/** The sentence; heads that are still to come are replaced as `finishedHeads` does it. */
export function latexOf(analysis: TreeAnalysis): string {
  const { words } = analysis;
  const edges = finishedHeads(analysis).map(({ head, label }, index) =>
    head === 0 ? `\\deproot{${index + 1}}{${escaped(label)}}` : `\\depedge{${head}}{${index + 1}}{${escaped(label)}}`,
  );
  return [
    "% \\usepackage{tikz-dependency}",
    "\\begin{dependency}",
    "  \\begin{deptext}[column sep=0.7em]",
    `    ${rowOf(words.map(({ form }) => form))}`,
    `    ${rowOf(
      words.map(({ tag = "" }) => tag && `{\\footnotesize ${escaped(tag)}}`),
      false,
    )}`,
    "  \\end{deptext}",
    ...edges.map((edge) => `  ${edge}`),
    "\\end{dependency}",
    "",
  ].join("\n");
}

function rowOf(cells: readonly string[], isText = true): string {
  return `${cells.map((cell) => (isText ? escaped(cell) : cell)).join(" \\& ")} \\\\`;
}

function escaped(text: string): string {
  return text.replace(/[\\~^#$%&_{}]/g, (special) => SPECIAL[special] ?? `\\${special}`);
}
