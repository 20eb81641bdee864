/**
 * Joins an editor to its document: edits go out as they happen, analyses come in twice a second.
 *
 * What an input method composes goes out once it is committed: until then the document is behind the editor.
 */

import { ViewPlugin, type EditorView, type PluginValue, type ViewUpdate } from "@codemirror/view";
import type { ChangeSet, Text } from "@codemirror/state";
import type { ClientDocument, Stop } from "../client/index.ts";
import { changesInOrder, setSentences } from "./analyses_field.ts";
import { documentFacet } from "./facet.ts";

/** More changes at once than this go out as one edit that spans them. */
const MOST_EDITS = 16;

/** Milliseconds between one set of marks and the next: each makes the browser lay out the text. */
const PAUSE = 500;
/** The pause is at least this many times as long as showing took. */
const REST = 4;
/**
 * Milliseconds after a focus without new marks: CodeMirror takes it for the browser's doing, 200 ms long, if the cursor
 * goes to the start, as it does in Chrome when text is moved into a mark, and then lets the next letter go there.
 */
const AFTER_FOCUS = 250;
/** So often it is looked whether an input method has committed what it composes: not every browser tells. */
const COMMITTING = 50;

class Subscription implements PluginValue {
  private document: ClientDocument | null = null;
  private stop: Stop = () => {};
  private timer = 0;
  private restUntil = 0;
  private isSending = false;
  /** The editor has what the document has not been told. */
  private isBehind = false;
  private composing = 0;

  constructor(private readonly view: EditorView) {
    this.follow(view.state.facet(documentFacet));
  }

  update(update: ViewUpdate): void {
    const document = update.state.facet(documentFacet);
    if (document !== this.document) this.follow(document);
    else if (!document || !update.docChanged) return;
    else if (this.view.compositionStarted) this.fallBehind();
    else this.send(document, update);
  }

  focused(): void {
    this.restUntil = Math.max(this.restUntil, performance.now() + AFTER_FOCUS);
  }

  private fallBehind(): void {
    this.isBehind = true;
    this.composing ||= window.setInterval(() => !this.view.compositionStarted && this.catchUp(), COMMITTING);
  }

  /** What is shown was mapped by the transaction itself: there is nothing new to show. */
  private send(document: ClientDocument, { changes, startState, state }: ViewUpdate): void {
    if (this.isBehind) return this.catchUp();
    this.isSending = true;
    sendEdits(document, changes, startState.doc, () => state.doc.toString());
    this.isSending = false;
  }

  private catchUp(): void {
    this.isBehind = false;
    clearInterval(this.composing);
    this.composing = 0;
    this.document?.replaceText(this.view.state.doc.toString());
  }

  destroy(): void {
    this.stop();
    clearTimeout(this.timer);
    clearInterval(this.composing);
  }

  private follow(document: ClientDocument | null): void {
    this.stop();
    this.document = document;
    this.stop = document?.changed.listen(() => this.showSoon()) ?? (() => {});
    this.catchUp();
    this.showSoon();
  }

  private showSoon(): void {
    if (this.isSending || this.timer) return;
    this.timer = window.setTimeout(() => this.show(), Math.max(0, this.restUntil - performance.now()));
  }

  private show(): void {
    const start = performance.now();
    this.timer = 0;
    if (this.isBehind) return;
    if (start < this.restUntil) return this.showSoon();
    this.view.dispatch({ effects: setSentences.of(this.document?.sentences ?? []) });
    const end = performance.now();
    this.restUntil = end + Math.max(PAUSE, REST * (end - start));
  }
}

export function sendEdits(document: ClientDocument, changes: ChangeSet, before: Text, wholeText: () => string): void {
  const edits = changesInOrder(changes, before);
  if (edits.length > MOST_EDITS) document.replaceText(wholeText());
  else for (const { from, to, text } of edits) document.edit(from, to, text);
}

export const subscription = ViewPlugin.fromClass(Subscription, {
  eventHandlers: {
    focus() {
      this.focused();
    },
  },
});
