/** Moments as one SVG file that moves by style alone, without a script: the last one stays. No DOM in it. */

/** A picture as an SVG of its own, dark on white, with what stands below it. */
export interface Frame {
  readonly svg: string;
  readonly caption: string;
  /** Milliseconds from the beginning. */
  readonly time: number;
}

/** The colours of pictures on paper, and what is as legible on dark ground. */
const DARK: Readonly<Record<string, string>> = {
  "#ffffff": "#14181f",
  "#000000": "#e8ecf3",
  "#475467": "#98a3b5",
  "#1f4bb0": "#8ab0ff",
  "#a8360a": "#ff9d66",
};
const CAPTION = 28; // px
const LEAST_WIDTH = 320; // px, so that captions fit

/** Frames at their times; all trees stand on one ground. */
export function animatedSvg(frames: readonly Frame[], title: string): string {
  const sizes = frames.map(({ svg }) => sizeOf(svg));
  const width = Math.max(LEAST_WIDTH, ...sizes.map((size) => size.width));
  const height = Math.max(...sizes.map((size) => size.height));
  const groups = frames.map((frame, place) => {
    const size = sizes[place]!;
    const next = frames[place + 1];
    const drawn = frame.svg.replace("<svg ", `<svg y="${height - size.height}" `);
    const caption = `<text x="12" y="${height + CAPTION / 2}" font-size="12" fill="#475467">${escaped(frame.caption)}</text>`;
    return `<g class="frame"${timing(frame.time, next?.time)}>\n${drawn}\n${caption}\n</g>`;
  });
  const box = `width="${width}" height="${height + CAPTION}" viewBox="0 0 ${width} ${height + CAPTION}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${box} role="img" font-family="system-ui, sans-serif">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    ...groups,
    "</svg>",
  ].join("\n");
}

/** A frame shows from its time until that of the next one; where nothing moves, the last one shows alone. */
const STYLE = `
@keyframes show { from, to { visibility: visible; } }
@keyframes hide { from, to { visibility: hidden; } }
.frame { animation: show step-end; }
.frame:last-of-type { animation-name: hide; }
@media (prefers-reduced-motion: reduce) { .frame { animation: none !important; } }
@media (prefers-color-scheme: dark) { ${Object.entries(DARK).map(darkRule).join(" ")} }
`;

function darkRule([light, dark]: readonly [string, string]): string {
  return `[fill="${light}"] { fill: ${dark}; } [stroke="${light}"] { stroke: ${dark}; }`;
}

function timing(time: number, next: number | undefined): string {
  if (next === undefined) return ` style="animation-duration:${time}ms"`;
  return ` visibility="hidden" style="animation-delay:${time}ms;animation-duration:${next - time}ms"`;
}

function sizeOf(svg: string): { width: number; height: number } {
  const [, width, height] = /^<svg [^>]*width="([\d.]+)" height="([\d.]+)"/.exec(svg)!;
  return { width: Number(width), height: Number(height) };
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
