/** Practice: a sentence with a known tree, whose steps the learner chooses. */

import type { TreewhileClient } from "../client/index.ts";
import type { DepTree } from "../tree/index.ts";
import { part } from "../page/page_parts.ts";
import { KeptAnswers, type NewAnswer } from "./kept_answers.ts";
import { practiceOffered } from "../page/practice_part.ts";
import type { GoldSentence } from "./practice_sentences.ts";
import { resultsBar } from "./results_bar.ts";
import { SentenceChoice } from "./sentence_choice.ts";
import { judgementOf, PracticeGame, type Answer } from "./step_game.ts";
import { StepBoard } from "../page/step_board.ts";
import { fillPlan } from "../page/step_words.ts";
import { text } from "./texts.ts";

/** The practice with its own sentences, and others that the reader has opened. */
export function startStepPractice(client: TreewhileClient, opened: readonly GoldSentence[]): void {
  const details = part<HTMLDetailsElement>("practice");
  const list = part<HTMLSelectElement>("practice-sentence");
  const choice = new SentenceChoice(list);
  const plan = part<HTMLDetailsElement>("practice-plan");
  const board = new StepBoard(part("practice-board"));
  const kept = new KeptAnswers();
  let game: PracticeGame | null = null;
  const begin = () => {
    game?.close();
    game = details.open ? begun(client, choice.sentence, board, kept) : null;
    game?.showPlan(plan.open);
  };
  const offer = (others: readonly GoldSentence[]) => {
    choice.offer(others);
    if (game?.sentence !== choice.sentence) begin();
  };
  details.append(resultsBar("practice", kept));
  details.ontoggle = list.onchange = part("practice-again").onclick = begin;
  plan.ontoggle = () => game?.showPlan(plan.open);
  board.chosen.listen((choice) => game?.choose(choice));
  practiceOffered.listen(offer);
  offer(opened);
}

/** A new game, which shows itself and keeps its steps. */
function begun(client: TreewhileClient, sentence: GoldSentence, board: StepBoard, kept: KeptAnswers): PracticeGame {
  const game = new PracticeGame(client, sentence);
  const attempt = kept.attemptsAt("steps", sentence.text) + 1;
  game.changed.listen(() => show(board, game));
  game.stepped.listen((answer) => kept.add(keptStep(answer, sentence, attempt)));
  show(board, game);
  return game;
}

function keptStep({ step, before, isOptimal }: Answer, sentence: GoldSentence, attempt: number): NewAnswer {
  const { text, lang } = sentence;
  const about = { practice: "steps", sentence: text, lang, attempt, number: before.stack.at(-1) ?? 0 } as const;
  const word = sentence.words[about.number - 1]?.form ?? "";
  return { ...about, word, question: "step", answer: step, expected: before.optimal.join(" "), isRight: isOptimal };
}

function show(board: StepBoard, game: PracticeGame): void {
  const { words, lang } = game.sentence;
  const forms = words.map((word) => word.form);
  board.show(game.position, forms, game.isFinished, lang);
  const heads = new Map(game.edges.map((edge) => [edge.child, edge]));
  const tree = part<DepTree>("practice-tree");
  tree.lang = lang;
  tree.analysis = {
    words: words.map(({ form, label }, index) => {
      const edge = heads.get(index + 1);
      return { form, head: edge?.head ?? null, label: edge ? (game.isRight(edge) ? label : "✗") : null };
    }),
  };
  part("practice-told").textContent = game.trouble || game.obstacle || told(game);
  part("practice-score").textContent = scoreTold(game);
  fillPlan(part("practice-planned"), game.position?.plan ?? [], { words, virtual: [] }, lang);
}

function told(game: PracticeGame): string {
  const last = game.answers.at(-1);
  if (last) return judgementOf(last);
  return text(game.position ? "practice.first" : "practice.asking");
}

function scoreTold(game: PracticeGame): string {
  const { optimal, steps, arcs, arcsInAll } = game.score;
  const score = text("practice.score", { optimal, steps, arcs, all: arcsInAll });
  if (!game.isFinished) return score;
  return [text("practice.done"), score, ...crossing(game)].join(" ");
}

/** Says so where even the best steps could not make all arcs. */
function crossing({ answers: [first], score: { arcsInAll } }: PracticeGame): string[] {
  const best = first ? Math.max(...first.before.optimal.map((step) => first.before[step] ?? 0)) : arcsInAll;
  return best < arcsInAll ? [text("practice.crossing", { best })] : [];
}
