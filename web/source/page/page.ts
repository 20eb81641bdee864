/** The page that `treewhile serve` shows: an editor, and the tree of the sentence at its cursor. */

import { Signal, TreewhileClient, type Greeting } from "../client/index.ts";
import { endsMark, treewhile } from "../extension/index.ts";
import { defineDepTree, definePhraseTree } from "../tree/index.ts";
import { announceSettled } from "./announcements.ts";
import { compareCommitted } from "./committed_and_best.ts";
import { listConflicts } from "./conflicts.ts";
import { showConnection } from "./connection_state.ts";
import { followCursor } from "./current_sentence.ts";
import { makeEditor } from "./editor.ts";
import { markEnds } from "./ends.ts";
import { offerExports } from "./exports.ts";
import { offerFiles } from "./files.ts";
import { Keeper } from "./keeper.ts";
import { keepText, noteText } from "./keeping.ts";
import { languageOfText, markLanguage } from "./languages.ts";
import { showLatencies } from "./latencies.ts";
import { showNextSteps } from "./next_steps.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";
import { offerPractice } from "./practice.ts";
import { showReadiness } from "./readiness.ts";
import { offerReplay } from "./replay.ts";
import { replayField } from "./replaying.ts";
import { offerTimeDial, optionsAfter } from "./time_dial.ts";
import { showTree } from "./tree_of_current.ts";
import { firstStreams, offerViews, TreeView, viewAfter, WantedStreams } from "./tree_view.ts";
import { tellTroubles } from "./troubles.ts";

const PARTS = [
  showConnection,
  markLanguage,
  showReadiness,
  tellTroubles,
  showTree,
  offerViews,
  markEnds,
  listConflicts,
  offerExports,
  announceSettled,
  showNextSteps,
  offerTimeDial,
  compareCommitted,
  showLatencies,
  offerPractice,
  offerReplay,
  offerFiles,
  keepText,
];

function socketAddress(): string {
  return location.origin.replace(/^http/, "ws") + "/";
}

function greeting(model: string | null): Greeting {
  const token = new URLSearchParams(location.search).get("token");
  return { ...(token === null ? {} : { token }), ...(model === null ? {} : { model }) };
}

/** Goes on where this tab was, or the browser when it ended. */
async function start(): Promise<void> {
  defineDepTree();
  definePhraseTree();
  const keeper = new Keeper();
  const { text, cursor, options, model, speed, view: kept, marksEnds } = await keeper.restore();
  const view = new TreeView(viewAfter(kept));
  const client = new TreewhileClient(socketAddress(), greeting(model));
  const document = client.open("page", text, { ...optionsAfter(options), ...firstStreams(view.chosen) });
  const current = new Signal<CurrentSentence>();
  const followed = followCursor(document, current);
  const extensions = [treewhile(document), followed, noteText(keeper), replayField, endsMark, languageOfText];
  const editor = makeEditor(part("editor"), extensions, text, cursor);
  if (speed !== null) part<HTMLSelectElement>("replay-speed").value = speed;
  part<HTMLInputElement>("ends").checked = marksEnds ?? true;
  const streams = new WantedStreams(document, view);
  const page: Page = { client, document, editor, keeper, current, view, streams, interrupted: new Signal<void>() };
  for (const show of PARTS) show(page);
  client.connect();
  editor.focus();
}

void start();
