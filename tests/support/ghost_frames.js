/* Watches each frame from now on: where marks of expected words stand in the text, whether they move the cursor, and how
   soon after a change they are there. */
() => {
  const root = document.getElementById("editor").shadowRoot;
  const hidden = new CSSStyleSheet();
  hidden.replaceSync(".tw-ghost, .cm-line::after { display: none !important; }");

  /* The right edge of the last letter before the cursor, in its line. */
  const cursorPlace = () => {
    const { anchorNode: node, anchorOffset: offset } = (root.getSelection ? root : document).getSelection();
    if (node?.nodeType !== Node.TEXT_NODE || offset === 0) return null;
    const range = document.createRange();
    range.setStart(node, offset - 1);
    range.setEnd(node, offset);
    const { right, bottom } = range.getBoundingClientRect();
    return { right, bottom };
  };
  const movedByGhosts = () => {
    const shown = cursorPlace();
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, hidden];
    const alone = cursorPlace();
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((sheet) => sheet !== hidden);
    return shown && alone ? Math.hypot(shown.right - alone.right, shown.bottom - alone.bottom) : 0;
  };
  const textBeside = (ghost) => {
    const line = ghost.closest(".cm-line");
    const range = document.createRange();
    range.selectNodeContents(line);
    range.setEndBefore(ghost);
    const before = range.toString();
    range.selectNodeContents(line);
    range.setStartAfter(ghost);
    return { before, behind: range.toString() };
  };

  const seen = (window.ghostFrames = { all: 0, shown: 0, inside: 0, before: 0, moved: 0, soonest: 1e9 });
  let changed = 0;
  root.addEventListener("input", () => (changed = performance.now()), { capture: true });
  const look = () => {
    const beside = [...root.querySelectorAll(".cm-line .tw-ghost")].map(textBeside);
    seen.all++;
    const isShown = root.querySelector(".tw-ghost, .tw-expecting") !== null;
    seen.shown += isShown ? 1 : 0;
    if (isShown) seen.soonest = Math.min(seen.soonest, performance.now() - changed);
    seen.inside += beside.some(({ before, behind }) => /\S$/.test(before) && /^\S/.test(behind)) ? 1 : 0;
    seen.before += beside.some(({ behind }) => /\S/.test(behind)) ? 1 : 0;
    seen.moved = Math.max(seen.moved, movedByGhosts());
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
};
