/** Sentences for people, in which words are quoted. */

/** A sentence for people with its quoted words, which are in language `lang`, in italics. */
export function withQuotes(line: string, lang = ""): (string | HTMLElement)[] {
  const quoted = (textContent: string) =>
    Object.assign(document.createElement("em"), { textContent, ...(lang && { lang }) });
  return line
    .split(/\*([^*]+)\*/)
    .map((piece, place) => (place % 2 ? quoted(piece) : piece))
    .filter((piece) => piece !== "");
}
