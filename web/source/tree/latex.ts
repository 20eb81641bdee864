/** Trees as LaTeX: dependencies for the package tikz-dependency, phrases for the package forest. */

import type { TreeAnalysis } from "./analysis.ts";
import { finishedHeads } from "./finished_heads.ts";
import { phrasesOf, type Phrase } from "./phrases.ts";

const SPECIAL: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "&": "\\symbol{38}", // since \& ends a cell
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
  return `${cells.map((cell) => (isText ? cellOf(cell) : cell)).join(" \\& ")} \\\\`;
}

/** A bracket or a bar at the beginning of a cell would begin its options. */
function cellOf(text: string): string {
  return /^[[|]/.test(text) ? braced(text) : escaped(text);
}

function escaped(text: string): string {
  return text.replace(/[\\~^#$%&_{}]/g, (special) => SPECIAL[special] ?? `\\${special}`);
}

/** The phrases of a sentence; those that are open end with the last word, and several outermost ones have a root. */
export function latexOfPhrases(analysis: TreeAnalysis): string {
  const leaf = (place: number) => {
    const { form, tag } = analysis.words[place]!;
    return `[${braced(tag || "_")} [${braced(form)}]]`;
  };
  const written = (child: Phrase | number, indent: string): string =>
    indent + (typeof child === "number" ? leaf(child) : node(child.label, child.children, indent));
  const node = (label: string, children: readonly (Phrase | number)[], indent: string) =>
    [`[${braced(label)}`, ...children.map((child) => written(child, `${indent}  `))].join("\n") + "]";
  const tops = phrasesOf(analysis);
  const [top] = tops;
  const isWhole = tops.length === 1 && typeof top === "object";
  const tree = isWhole ? written(top, "  ") : `  ${node("ROOT", tops, "  ")}`;
  return ["% \\usepackage{forest}", "\\begin{forest}", tree, "\\end{forest}", ""].join("\n");
}

/** Commas, brackets and equals signs mean something to forest, but not within braces. */
function braced(text: string): string {
  return `{${escaped(text)}}`;
}
