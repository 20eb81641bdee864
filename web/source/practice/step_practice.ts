/** Practice: a sentence with a known tree, whose steps the learner chooses. */

import type { TreewhileClient } from "../client/index.ts";
import { glossary, type Glossary } from "../glossary/glossary.ts";
import { part } from "../page/page_parts.ts";
import { practiceOffered } from "../page/practice_part.ts";
import { StepBoard } from "../page/step_board.ts";
import type { TreeAnalysis } from "../tree/index.ts";
import { HINT_KEY, isForAnswers } from "./answer_buttons.ts";
import { offerHints } from "./hint_button.ts";
import { HINT, KeptAnswers, type NewAnswer } from "./kept_answers.ts";
import type { GoldSentence } from "./practice_sentences.ts";
import { resultsBar } from "./results_bar.ts";
import { SentenceChoice } from "./sentence_choice.ts";
import { StepElements, WRONG, type Verdict } from "./step_elements.ts";
import { PracticeGame, type Answer } from "./step_game.ts";
import { StepTexts } from "./step_texts.ts";
import { text } from "./texts.ts";

const PRACTICE = "steps";

export class StepPractice {
  private readonly details = part<HTMLDetailsElement>("practice");
  private readonly elements = new StepElements(this.details);
  private readonly choice = new SentenceChoice(this.elements.sentences);
  private readonly board = new StepBoard(this.elements.board);
  private readonly kept = new KeptAnswers();
  private glossary: Glossary | null = null;
  private game: PracticeGame | null = null;
  private attempt = 1;

  constructor(
    private readonly client: TreewhileClient,
    opened: readonly GoldSentence[],
  ) {
    this.details.append(resultsBar("practice", this.kept));
    practiceOffered.listen((others) => this.offer(others));
    this.listen();
    void this.learnRoles();
    this.offer(opened);
  }

  private listen(): void {
    const { details, elements, board } = this;
    details.addEventListener("toggle", () => this.begin());
    elements.sentences.onchange = elements.again.onclick = () => this.begin();
    elements.plan.ontoggle = () => this.game?.showPlan(elements.plan.open);
    elements.hint.onclick = () => this.hint();
    board.chosen.listen((choice) => this.game?.choose(choice));
    details.addEventListener("keydown", (event) => {
      if (event.key === HINT_KEY && isForAnswers(event)) this.hint();
    });
  }

  private async learnRoles(): Promise<void> {
    this.glossary = await glossary().catch(() => null);
    this.show();
  }

  private offer(others: readonly GoldSentence[]): void {
    this.choice.offer(others);
    if (this.game?.sentence !== this.choice.sentence) this.begin();
  }

  private begin(): void {
    this.game?.close();
    this.game = this.details.open ? this.newGame(this.choice.sentence) : null;
    this.game?.showPlan(this.elements.plan.open);
    this.show();
  }

  /** A game that shows itself and keeps its steps. */
  private newGame(sentence: GoldSentence): PracticeGame {
    const game = new PracticeGame(this.client, sentence);
    this.attempt = this.kept.attemptsAt(PRACTICE, sentence.text) + 1;
    game.changed.listen(() => this.show());
    game.stepped.listen((answer) => this.keep(answer, answer.step));
    return game;
  }

  private hint(): void {
    const { game } = this;
    if (!game?.hasHint || !game.position) return;
    this.keep({ before: game.position, isOptimal: false }, HINT);
    game.hint();
  }

  private keep({ before, isOptimal }: Pick<Answer, "before" | "isOptimal">, answer: string): void {
    const { text, lang, words } = this.game!.sentence;
    const number = before.stack.at(-1) ?? 0;
    const about = { practice: PRACTICE, sentence: text, lang, attempt: this.attempt, number } as const;
    const word = words[number - 1]?.form ?? "";
    const expected = before.optimal.join(" ");
    const kept: NewAnswer = { ...about, word, question: "step", answer, expected, isRight: isOptimal };
    this.kept.add(kept);
  }

  // --- what is shown ------------------------------------------------------------------------------------

  private show(): void {
    const { game, elements } = this;
    if (!game) return;
    const { sentence, position } = game;
    const texts = new StepTexts(sentence, this.glossary);
    this.showBoard(game, texts);
    this.draw(game);
    elements.tell(...told(game, texts), sentence.lang);
    offerHints(elements.hint, game.hasHint);
    elements.score.textContent = scoreTold(game, texts);
    elements.plans(texts.plan(position?.plan ?? []), sentence.lang);
  }

  private showBoard({ position, sentence }: PracticeGame, texts: StepTexts): void {
    const forms = sentence.words.map(({ form }) => form);
    this.board.show(position, forms, false, sentence.lang);
    if (position) this.board.tell(position, (choice) => texts.does(choice, position));
  }

  private draw(game: PracticeGame): void {
    const { tree } = this.elements;
    const { words, lang } = game.sentence;
    tree.lang = lang;
    tree.analysis = treeMade(game);
    tree.differing = game.edges.filter((edge) => !game.isRight(edge)).map(({ child }) => child);
    const { arcs, arcsInAll } = game.score;
    this.elements.compare(game.isFinished && arcs < arcsInAll ? { words } : null, lang);
  }
}

/** The arcs that the steps have made; those that the tree does not have bear a sign instead of a label. */
function treeMade(game: PracticeGame): TreeAnalysis {
  const edges = new Map(game.edges.map((edge) => [edge.child, edge]));
  return {
    words: game.sentence.words.map(({ form, label }, index) => {
      const edge = edges.get(index + 1);
      return { form, head: edge?.head ?? null, label: edge ? (game.isRight(edge) ? label : WRONG) : null };
    }),
  };
}

function told(game: PracticeGame, texts: StepTexts): [line: string, verdict: Verdict] {
  const { trouble, obstacle, last, position } = game;
  const answer = game.answers.at(-1);
  if (trouble || obstacle) return [trouble || obstacle, ""];
  if (last === "hint" && position) return [texts.hint(game.hints, position), ""];
  if (last === "undo") return [text("practice.steps.taken-back"), ""];
  if (answer) return [texts.judgement(answer), answer.isOptimal ? "right" : "wrong"];
  return [text(position ? "practice.first" : "practice.asking"), ""];
}

function scoreTold(game: PracticeGame, texts: StepTexts): string {
  const score = texts.score(game.score);
  if (!game.isFinished) return score;
  return [text("practice.done"), score, ...crossing(game)].join(" ");
}

/** Says so where even the best steps could not make all arcs. */
function crossing({ answers: [first], score: { arcsInAll } }: PracticeGame): string[] {
  const best = first ? Math.max(...first.before.optimal.map((step) => first.before[step] ?? 0)) : arcsInAll;
  return best < arcsInAll ? [text("practice.crossing", { best })] : [];
}
