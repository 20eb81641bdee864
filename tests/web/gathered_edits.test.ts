import assert from "node:assert/strict";
import test from "node:test";
import { TreewhileClient } from "../../web/source/client/index.ts";
import { composed, GatheredEdits, type Versioned } from "../../web/source/client/gathered_edits.ts";
import { analysisOf, FakeServer } from "./fake_server.ts";

type Edit = Extract<Versioned, { type: "edit" }>;

/** Random numbers from 0 on, the same ones each time. */
function numbers(seed: number): (limit: number) => number {
  let state = seed + 1;
  return (limit) => (state = (state * 48271) % 2147483647) % limit;
}

function edited(text: string, { start, end, text: inserted }: Pick<Edit, "start" | "end" | "text">): string {
  assert.ok(0 <= start && start <= end && end <= text.length);
  return text.slice(0, start) + inserted + text.slice(end);
}

/** An edit that is often where a hand is: at the end or near the start. */
function someEdit(text: string, version: number, below: (limit: number) => number): Edit {
  const start = [text.length, below(text.length + 1), Math.min(text.length, below(4))][below(3)]!;
  const end = Math.min(text.length, start + [0, 0, 1, 3][below(4)]!);
  const inserted = ["", "a", "🎉", " ", "dog. "][below(5)]!;
  return { type: "edit", document: "letter", version, start: Math.max(0, start - below(3)), end, text: inserted };
}

test("one edit does what two do", () => {
  let found = 0;
  for (let seed = 0; seed < 3000; seed++) {
    const below = numbers(seed);
    const before = "the dog 🎉 barks".slice(0, 4 + below(12));
    const first = someEdit(before, 1, below);
    const between = edited(before, first);
    const then = someEdit(between, 2, below);
    const whole = composed(first, then);
    const isAdjacent = then.start <= first.start + first.text.length && then.end >= first.start;
    assert.equal(whole !== null, isAdjacent);
    if (!whole) continue;
    assert.equal(edited(before, whole), edited(between, then));
    assert.equal(whole.version, 2);
    found++;
  }
  assert.ok(found > 500);
});

test("whoever is far ahead does not wait, and a paste goes alone", () => {
  const edits = new GatheredEdits();
  const letter = (version: number, at: number): Edit => {
    return { type: "edit", document: "letter", version, start: at, end: at, text: "x" };
  };
  assert.equal(edits.add(letter(1, 0)).length, 1);
  assert.equal(edits.add(letter(2, 1)).length, 0);
  const paste = { ...letter(3, 2), text: "y".repeat(10_001) };
  assert.deepEqual(edits.add(paste), [letter(2, 1), paste]);
  const sent = Array.from({ length: 101 }, (_, number) => edits.add(letter(4 + number, 4 * number)).length);
  assert.deepEqual(sent, [...Array<number>(100).fill(0), 101]);
});

/** What a server has of a document, from the frames of all sockets. */
class Held {
  text = "";
  version = 0;

  take(frames: readonly Record<string, any>[]): void {
    for (const frame of frames) {
      if (frame.type === "open") this.text = frame.text;
      else if (frame.type === "edit" && frame.version > this.version) this.text = edited(this.text, frame as Edit);
      else continue;
      assert.ok(frame.version > this.version, "versions grow");
      this.version = frame.version;
    }
  }
}

test("a server has the whole text in the end, whenever it answers and whatever is lost on the way", () => {
  for (let seed = 0; seed < 300; seed++) {
    const below = numbers(seed);
    const [server, held] = [new FakeServer(), new Held()];
    const client = new TreewhileClient("ws://here", {}, server);
    const document = client.open("letter", "the dog barks");
    client.connect();
    server.welcome();
    let read = 0;
    const hear = () => {
      held.take(server.socket.sent.slice(read));
      read = server.socket.sent.length;
    };
    const answer = () => {
      hear();
      server.socket.say(analysisOf(document.text, held.version));
      hear();
    };
    for (let turn = below(40); turn > 0; turn--) {
      const happens = below(8);
      if (happens < 5) {
        const { start, end, text } = someEdit(document.text, 0, below);
        document.edit(start, end, text);
      } else if (happens < 7) answer();
      else {
        if (below(2)) hear(); // or what was sent last is lost
        server.lose();
        server.clock.go(1000);
        read = 0;
        server.welcome({ resumed: true, documents: [{ document: "letter", version: held.version }] });
      }
    }
    answer();
    answer();
    assert.equal(held.text.replaceAll("\uFFFD", "?"), document.text.replace(/[\uD800-\uDFFF]/gu, "?"));
    assert.equal(held.version, document.version);
    assert.ok(document.isCurrent);
  }
});
