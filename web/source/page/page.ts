/** The page that `treewhile serve` shows: an editor, and the tree of the sentence at its cursor. */

import { Signal, TreewhileClient } from "../client/index.ts";
import { treewhile } from "../extension/index.ts";
import { defineDepTree } from "../tree/index.ts";
import { announceSettled } from "./announcements.ts";
import { compareCommitted } from "./committed_and_best.ts";
import { listConflicts } from "./conflicts.ts";
import { showConnection } from "./connection_state.ts";
import { followCursor } from "./current_sentence.ts";
import { makeEditor } from "./editor.ts";
import { offerExports } from "./exports.ts";
import { offerFiles } from "./files.ts";
import { showLatencies } from "./latencies.ts";
import { showNextSteps } from "./next_steps.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";
import { offerPractice } from "./practice.ts";
import { offerReplay } from "./replay.ts";
import { FIRST_OPTIONS, offerTimeDial } from "./time_dial.ts";
import { showTree } from "./tree_of_current.ts";
import { tellTroubles } from "./troubles.ts";

const PARTS = [
  showConnection,
  tellTroubles,
  showTree,
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
];

function socketAddress(): string {
  return location.origin.replace(/^http/, "ws") + "/";
}

function start(): void {
  defineDepTree();
  const token = new URLSearchParams(location.search).get("token");
  const client = new TreewhileClient(socketAddress(), token === null ? {} : { token });
  const document = client.open("page", "", FIRST_OPTIONS);
  const current = new Signal<CurrentSentence>();
  const editor = makeEditor(part("editor"), [treewhile(document), followCursor(document, current)]);
  const page: Page = { client, document, editor, current };
  for (const show of PARTS) show(page);
  client.connect();
  editor.focus();
}

start();
