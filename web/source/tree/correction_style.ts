/** The style of trees that can be corrected: what changed, an arc that is dragged, keys for words. */

export const CORRECTION_STYLE = `
:host { --tree-changed: #b45309; }
@media (prefers-color-scheme: dark) { :host { --tree-changed: #f2b45c; } }
.arc[data-changed] .line { stroke: var(--tree-changed); stroke-width: 3px; }
.arc[data-changed] .arrow, .arc[data-changed] .label { fill: var(--tree-changed); }
.arc:is([data-differing], [data-doubted]) .line { stroke: var(--tree-changed); stroke-width: 3px; }
.arc:is([data-differing], [data-doubted]) .arrow, .arc:is([data-differing][data-differing], [data-doubted][data-doubted]) .label { fill: var(--tree-changed); }
.word[data-changed] .outline, .word[data-differing] .outline { fill: color-mix(in srgb, var(--tree-changed) 22%, transparent); }
.correctable .word:not(.ghost) .outline { pointer-events: all; }
.correctable .word:not(.ghost) { cursor: grab; }
.correctable text { user-select: none; -webkit-user-select: none; }
.correctable .word.current { touch-action: none; display: block; }
.correctable .arc .label { cursor: pointer; }
.word.dependent .outline { stroke: var(--tree-changed); stroke-width: 2px; }
.dragging, .rival { pointer-events: none; }
.rival .line { stroke: var(--tree-changed); stroke-width: 2.4px; stroke-dasharray: 6 4; }
.rival .arrow, .rival .label { fill: var(--tree-changed); }
.rival .label { font-style: italic; }
.dragging .line { stroke: var(--tree-changed); stroke-width: 2.4px; stroke-dasharray: none; }
.dragging .arrow { fill: var(--tree-changed); }
.dragging .target { fill: none; stroke: var(--tree-changed); stroke-width: 2px; rx: 7px; }
.dragging .pad { fill: var(--tree-background); stroke: var(--tree-changed); stroke-width: 1.5px; stroke-dasharray: 4 3; rx: 10px; }
.dragging.root .pad { stroke-width: 3px; stroke-dasharray: none; }
.dragging .pad-name { font-size: 12px; fill: var(--tree-changed); }
.dragging .cross { display: none; font-size: 20px; font-weight: 700; fill: var(--tree-conflict); }
.dragging.impossible .cross { display: inline; }
.dragging.impossible .line { stroke: var(--tree-conflict); stroke-dasharray: 2 5; }
.dragging.impossible .target, .dragging.impossible .pad { stroke: var(--tree-conflict); }
.dragging.impossible .arrow { fill: var(--tree-conflict); }
.hints rect { fill: var(--tree-ink); rx: 4px; }
.hints text { font-size: 12px; font-weight: 700; fill: var(--tree-background); }
.hints { pointer-events: none; }
`;
