/** The page that `treewhile serve` shows: an editor, and the tree of the sentence at its cursor. */

import { Signal, TreewhileClient, type Greeting } from "../client/index.ts";
import { endsMark, treewhile } from "../extension/index.ts";
import { defineDepTree, definePhraseTree } from "../tree/index.ts";
import { followAnnotations } from "./annotations_field.ts";
import { announceChanges } from "./announcements.ts";
import { Blind, offerBlind } from "./blind.ts";
import { listConflicts } from "./conflicts.ts";
import { showConnection } from "./connection_state.ts";
import { offerComparison } from "./comparison_part.ts";
import { correctTrees } from "./correcting.ts";
import { followCursor } from "./current_sentence.ts";
import { restoredDecisions } from "./decisions.ts";
import { followDecisions } from "./decisions_field.ts";
import { makeEditor } from "./editor.ts";
import { offerExamples } from "./examples.ts";
import { explainParts } from "./explained_parts.ts";
import { markEnds } from "./ends.ts";
import { offerMoments } from "./offered_moments.ts";
import { keepInSight } from "./sight.ts";
import { offerExports } from "./exports.ts";
import { offerFiles } from "./files.ts";
import { FileParts } from "./file_parts.ts";
import { Fixing } from "./fixing.ts";
import { Keeper } from "./keeper.ts";
import { annotationsKept, keepText, noteText } from "./keeping.ts";
import { languageOfText, markLanguage, offerLanguages, offerOtherLanguage } from "./languages.ts";
import { showLatencies } from "./latencies.ts";
import { offerLook } from "./offered_look.ts";
import { offerLemmas } from "./lemmas.ts";
import { offerGrammar } from "./grammar_part.ts";
import { offerOpenedParts } from "./opened_parts.ts";
import { offerPageLanguage, translatePage } from "./page_language.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";
import { ParsedWords } from "./parsed_words.ts";
import { offerPaper } from "./paper.ts";
import { offerPractice } from "./practice_part.ts";
import { offerSharing } from "./sharing.ts";
import { showReadiness } from "./readiness.ts";
import { offerReplay } from "./replay.ts";
import { replayField } from "./replaying.ts";
import { sentenceMark } from "./sentence_mark.ts";
import { offerSureness } from "./sureness.ts";
import { offerStepping } from "./offered_steps.ts";
import { Stepping } from "./stepping.ts";
import { offerTimeDial, optionsAfter } from "./time_dial.ts";
import { offerManners, showChosenManner } from "./tree_manner.ts";
import { showTree } from "./tree_of_current.ts";
import { offerSources, TreeSource } from "./tree_source.ts";
import { firstStreams, offerViews, TreeView, viewAfter, WantedStreams } from "./tree_view.ts";
import { tellTroubles } from "./troubles.ts";
import { validateTrees } from "./validation.ts";
import { offerWays } from "./ways.ts";

const PARTS = [
  showConnection,
  offerPageLanguage,
  offerLanguages,
  offerOtherLanguage,
  markLanguage,
  showReadiness,
  tellTroubles,
  showTree,
  offerManners,
  keepInSight,
  correctTrees,
  offerViews,
  markEnds,
  offerLemmas,
  explainParts,
  offerSureness,
  listConflicts,
  offerExports,
  offerPaper,
  offerSources,
  offerBlind,
  announceChanges,
  offerOpenedParts,
  offerTimeDial,
  showLatencies,
  offerGrammar,
  offerPractice,
  offerExamples,
  offerReplay,
  offerMoments,
  offerWays,
  offerFiles,
  offerStepping,
  offerComparison,
  offerLook,
  validateTrees,
  keepText,
  offerSharing,
];

function socketAddress(): string {
  return location.origin.replace(/^http/, "ws") + "/";
}

function greeting(): Greeting {
  const token = new URLSearchParams(location.search).get("token");
  return token === null ? {} : { token };
}

/** Goes on where this tab was, or the browser when it ended. */
async function start(): Promise<void> {
  const keeper = new Keeper();
  const [restored] = await Promise.all([keeper.restore(), translatePage()]);
  defineDepTree();
  definePhraseTree();
  const { text, cursor, options, model, speed, view: kept, marksEnds } = restored;
  const { lemmas = false, sureness = false, blind = false } = restored;
  const view = new TreeView(viewAfter(kept));
  const client = new TreewhileClient(socketAddress(), greeting());
  const chosen = { ...(model !== null && { model }), ...(lemmas && { lemmas }) };
  const document = client.open("page", text, { ...optionsAfter(options), ...firstStreams(view.chosen), ...chosen });
  const current = new Signal<CurrentSentence>();
  const fileChanged = new Signal<void>();
  const annotations = await annotationsKept(keeper, restored);
  const extensions = [
    treewhile(document),
    followAnnotations(annotations, fileChanged),
    followDecisions(restoredDecisions(restored.decisions, text.length), keeper),
    followCursor(document, current),
    noteText(keeper),
    replayField,
    endsMark,
    sentenceMark,
    languageOfText,
  ];
  const editor = makeEditor(part("editor"), extensions, text, cursor);
  if (speed !== null) part<HTMLSelectElement>("replay-speed").value = speed;
  part<HTMLInputElement>("ends").checked = marksEnds ?? true;
  part<HTMLInputElement>("lemmas").checked = lemmas;
  part<HTMLInputElement>("sureness").checked = sureness;
  showChosenManner(restored.manner ?? {});
  const streams = new WantedStreams(document, view);
  const [source, interrupted, played] = [
    new TreeSource(view, new Blind(blind)),
    new Signal<void>(),
    new Signal<string>(),
  ];
  const parts = { client, document, editor, keeper, current, view };
  const fixing = new Fixing(parts);
  const fileParts = new FileParts({ ...parts, fixing });
  const stepping = new Stepping({ ...parts, parts: fileParts });
  const parser = new ParsedWords(client, document);
  const signals = { interrupted, played, fileChanged };
  const page: Page = { ...parts, ...signals, source, streams, fixing, parts: fileParts, stepping, parser };
  for (const show of PARTS) show(page);
  client.connect();
  editor.focus();
}

void start();
