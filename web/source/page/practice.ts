/** Practice: a sentence with a known tree, whose steps the learner chooses. */

import type { Stop, TreewhileClient } from "../client/index.ts";
import type { DepTree } from "../tree/index.ts";
import { part } from "./page_parts.ts";
import { judgementOf, PracticeGame } from "./practice_game.ts";
import { practiceOffered } from "./practice_part.ts";
import { EASY, HARD, LANGUAGES, MEDIUM, PRACTICE_SENTENCES, type GoldSentence } from "./practice_sentences.ts";
import { StepBoard } from "./step_board.ts";
import { fillPlan } from "./step_words.ts";
import { text } from "./texts.ts";
import { languageName } from "../texts/texts.ts";

/** The practice with its own sentences, and others that the reader has opened. */
export function startPractice(client: TreewhileClient, opened: readonly GoldSentence[]): void {
  const details = part<HTMLDetailsElement>("practice");
  const choice = part<HTMLSelectElement>("practice-sentence");
  const plan = part<HTMLDetailsElement>("practice-plan");
  const board = new StepBoard(part("practice-board"));
  let sentences: readonly GoldSentence[] = [];
  let game: PracticeGame | null = null;
  let stop: Stop = () => {};
  const begin = () => {
    stop();
    game?.close();
    game = details.open ? new PracticeGame(client, sentences[Number(choice.value)]!) : null;
    stop = game?.changed.listen(() => show(board, game!)) ?? stop;
    if (game) show(board, game);
    game?.showPlan(plan.open);
  };
  const offer = (others: readonly GoldSentence[]) => {
    sentences = [...PRACTICE_SENTENCES, ...others];
    fillChoice(choice, sentences);
    begin();
  };
  details.ontoggle = choice.onchange = part("practice-again").onclick = begin;
  plan.ontoggle = () => game?.showPlan(plan.open);
  board.chosen.listen((choice) => game?.choose(choice));
  practiceOffered.listen(offer);
  offer(opened);
}

function fillChoice(choice: HTMLSelectElement, sentences: readonly GoldSentence[]): void {
  const groups = new Map<string, HTMLOptGroupElement>();
  for (const [place, { text: sentence, group, lang, obstacle }] of sentences.entries()) {
    const options = groups.get(group) ?? Object.assign(document.createElement("optgroup"), { label: groupTold(group) });
    const told = obstacle ? text("practice.not-offered", { text: sentence, obstacle }) : sentence;
    options.append(Object.assign(new Option(told, String(place)), { lang, dir: "auto", disabled: !!obstacle }));
    groups.set(group, options);
  }
  choice.replaceChildren(...groups.values());
}

/** Those of a file have its name. */
function groupTold(group: string): string {
  if (group === EASY) return text("practice.easy");
  if (group === MEDIUM) return text("practice.medium");
  if (group === HARD) return text("practice.hard");
  const lang = LANGUAGES[group];
  return lang ? languageName(lang) : group;
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
