/** Links that carry a text: what is made is read again, and what is hostile is refused or harmless. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { linkOf, readLink, type Shared } from "../../web/source/sharing/shared_link.ts";

const ADDRESS = "https://parse.example.org/";

function hashOf(link: string | null): string {
  assert(link);
  return new URL(link).hash;
}

test("what a link carries is read as it was", () => {
  const texts = ["The dog barks.", "a & b=c#d%25 + e?", "שלום, עולם\n\nשוב", "👩‍👩‍👧 é\ttab", " spaces  "];
  for (const text of texts)
    for (const model of ["", "nl", "my model & co"])
      for (const part of ["", "word-practice"]) {
        const shared: Shared = { text, model, part };
        assert.deepEqual(readLink(hashOf(linkOf(shared, ADDRESS))), shared);
      }
});

test("a link begins with the text, and can be written by hand", () => {
  assert.equal(linkOf({ text: "Hoi!", model: "nl", part: "" }, ADDRESS), `${ADDRESS}#text=Hoi%21&model=nl`);
  const read = readLink("#text=De hond blaft.&model=nl&part=practise");
  assert.deepEqual(read, { text: "De hond blaft.", model: "nl", part: "practise" });
});

test("a text too long for a link gets none", () => {
  assert.equal(linkOf({ text: "a".repeat(8000), model: "", part: "" }, ADDRESS), null);
  assert.equal(linkOf({ text: "ש".repeat(1500), model: "", part: "" }, ADDRESS), null);
  assert(linkOf({ text: "a".repeat(7900), model: "", part: "" }, ADDRESS));
});

test("hostile links are refused, or lose what harms", () => {
  for (const hash of ["", "#", "#text=", "#text=%20%0a", "#model=nl", `#text=${"a".repeat(8001)}`])
    assert.equal(readLink(hash), null);
  for (const field of ["model", "part"]) assert.equal(readLink(`#text=a&${field}=${"x".repeat(101)}`), null);
  assert.doesNotMatch(readLink("#text=a%00b%1b%7f%0d%0ac%0dd")!.text, /[\0-\x08\x0b-\x1f\x7f]/);
  assert.doesNotThrow(() => encodeURIComponent(readLink("#text=%E0%A4%A")!.text));
  assert.equal(readLink("#text=one&text=two")?.text, "one");
  assert.equal(readLink("#text=<img src=x onerror=alert(1)>")?.text, "<img src=x onerror=alert(1)>");
});
