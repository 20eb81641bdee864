/** The style of the tree element: a constructable sheet, which a strict content policy allows. */

import { CORRECTION_STYLE } from "./correction_style.ts";

export const FONTS = {
  form: { size: 16, weight: 400 },
  tag: { size: 10.5, weight: 500 },
  lemma: { size: 12, weight: 400 },
  label: { size: 11, weight: 500 },
  name: { size: 11, weight: 400 },
} as const;

export const TREE_STYLE = `
:host {
  display: block; position: relative;
  font-family: system-ui, sans-serif;
  --tree-background: #ffffff; --tree-ink: #1c2330; --tree-tag: #667085;
  --tree-stable: #2f5fd0; --tree-provisional: #68748a; --tree-ghost: #69758b; --tree-conflict: #c2410c;
}
@media (prefers-color-scheme: dark) {
  :host {
    --tree-background: #14181f; --tree-ink: #e8ecf3; --tree-tag: #98a3b5;
    --tree-stable: #8ab0ff; --tree-provisional: #8b97ab; --tree-ghost: #8793a7; --tree-conflict: #ff9d66;
  }
}
:host([hidden]) { display: none; }
svg { display: block; overflow: visible; font-family: inherit; }
text { text-anchor: middle; fill: var(--tree-ink); }
.form { font-size: ${FONTS.form.size}px; }
.tag { font-size: ${FONTS.tag.size}px; font-weight: ${FONTS.tag.weight}; letter-spacing: 0.03em; fill: var(--tree-tag); }
.lemma { font-size: ${FONTS.lemma.size}px; fill: var(--tree-tag); }
.label {
  font-size: ${FONTS.label.size}px; font-weight: ${FONTS.label.weight};
  paint-order: stroke; stroke: var(--tree-background); stroke-width: 5px; stroke-linejoin: round;
}
.line { fill: none; stroke-width: var(--weight, 1.5px); stroke: var(--tree-provisional); stroke-dasharray: 4 3.5; }
.arrow { fill: var(--tree-provisional); stroke: none; }
.arc .label { fill: var(--tree-provisional); }
.stable .line { stroke: var(--tree-stable); stroke-dasharray: none; }
.stable .arrow, .arc.stable .label { fill: var(--tree-stable); }
.arc.fixed .line { stroke-width: 3.5px; stroke-dasharray: none; }
.arc.fixed .arrow { stroke: var(--tree-provisional); stroke-width: 3px; stroke-linejoin: round; }
.arc.fixed.stable .arrow { stroke: var(--tree-stable); }
.arc.named .label, .word.tagged .tag { font-weight: 700; text-decoration: underline 1.5px; text-underline-offset: 2px; }
.outline { fill: none; stroke: none; rx: 7px; }
.ghost .outline { stroke: var(--tree-ghost); stroke-dasharray: 3 3; }
.ghost .form { fill: var(--tree-ghost); font-style: italic; font-size: ${FONTS.label.size + 1}px; }
.ghost .tag { fill: var(--tree-ghost); }
.conflict .form { fill: var(--tree-conflict); text-decoration: underline wavy 1px; text-underline-offset: 3px; }
.word { cursor: default; outline: none; }
.word.current .outline { fill: color-mix(in srgb, var(--tree-stable) 14%, transparent); }
.word:focus-visible .outline { stroke: var(--tree-stable); stroke-width: 2px; stroke-dasharray: none; }
.arc.lit .line { stroke-width: calc(var(--weight) + 0.9px); }
.arc.fixed.lit .line { stroke-width: 4.5px; }
${CORRECTION_STYLE}@media (prefers-reduced-motion: no-preference) {
  .arc.moving .line { transition: d 150ms ease-out; }
  .arc.moving .label, .arc.moving .arrow { transition: transform 150ms ease-out; }
  .arc { animation: appear 150ms ease-out; }
  @keyframes appear { from { opacity: 0; } }
}
.unseen {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
`;
