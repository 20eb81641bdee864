/** The practice of grammar: which word does each one belong to, and as what? */

import { Signal, type ClientDocument, type TreewhileClient } from "../client/index.ts";
import { glossary, type Glossary } from "../glossary/glossary.ts";
import { made } from "../page/made_elements.ts";
import { part } from "../page/page_parts.ts";
import { practiceOffered } from "../page/practice_part.ts";
import { keysOfWords } from "../page/word_keys.ts";
import { language } from "../texts/texts.ts";
import { directionOf, type TreeAnalysis, type WordChosen } from "../tree/index.ts";
import { AnswerButtons, HINT_KEY, isForAnswers, type Choice } from "./answer_buttons.ts";
import { offerHints } from "./hint_button.ts";
import { HINT, KeptAnswers } from "./kept_answers.ts";
import type { GoldSentence } from "./practice_sentences.ts";
import { resultsBar } from "./results_bar.ts";
import { SentenceChoice } from "./sentence_choice.ts";
import { askForTies, NO_TIES, type Ties } from "./ties.ts";
import { MOST_HINTS, WordGame, type Move } from "./word_game.ts";
import { WordElements } from "./word_elements.ts";
import { WordTexts } from "./word_texts.ts";

const PRACTICE = "words";

export class WordPractice {
  private readonly details = part<HTMLDetailsElement>("word-practice");
  private readonly elements = new WordElements(this.details);
  private readonly choice = new SentenceChoice(this.elements.sentences);
  private readonly buttons = new AnswerButtons(this.elements.answers, this.details);
  private readonly kept = new KeptAnswers();
  private ties: Ties = NO_TIES;
  private stopTies = () => {};
  private glossary: Glossary | null = null;
  private game = new WordGame(this.choice.sentence);
  private attempt = 1;
  /** A file that is opened from here is wanted for its sentences. */
  private wantsFile = false;

  constructor(
    private readonly client: TreewhileClient,
    private readonly page: ClientDocument,
    opened: readonly GoldSentence[],
  ) {
    this.details.append(resultsBar("word-practice", this.kept, () => this.restore()));
    this.choice.choose(({ lang }) => lang === language());
    this.offer(opened);
    practiceOffered.listen((others) => this.offer(others));
    this.listen();
    void this.learnRoles();
    this.begin();
  }

  private listen(): void {
    const { sentences, again, hint, open, tree } = this.elements;
    sentences.onchange = () => this.begin();
    again.onclick = () => this.restart();
    hint.onclick = () => this.move(HINT);
    open.onclick = () => {
      this.wantsFile = true;
      part("file").click();
    };
    this.buttons.chosen.listen((answer) => this.move(answer));
    this.details.addEventListener("keydown", (event) => {
      if (event.key === HINT_KEY && isForAnswers(event)) this.move(HINT);
    });
    whenPicked(tree).listen((number) => this.pick(number));
  }

  private async learnRoles(): Promise<void> {
    this.glossary = await glossary().catch(() => null);
    this.show();
  }

  // --- sentences ----------------------------------------------------------------------------------------

  private offer(others: readonly GoldSentence[]): void {
    const before = this.choice.sentence;
    this.choice.offer(others);
    if (this.wantsFile) this.choice.choose((sentence) => others.includes(sentence));
    this.wantsFile = false;
    if (this.choice.sentence !== before) this.begin();
  }

  /** Goes on with the sentence that is chosen, where the learner was. */
  private begin(): void {
    this.stopTies();
    this.ties = NO_TIES;
    this.restore();
    this.tell("");
    const { words, lang } = this.choice.sentence;
    const model = this.modelFor(lang);
    if (model === undefined) return;
    const forms = words.map(({ form }) => form);
    this.stopTies = askForTies(this.client, model, forms, (ties) => {
      this.ties = ties;
      if (changesAnswers(ties, words)) this.restore();
    });
  }

  /** Null for that of the session; undefined where no model knows the language. */
  private modelFor(lang: string): string | null | undefined {
    if (!lang) return this.page.model;
    const { welcome } = this.client;
    if (welcome?.languages[welcome.model] === lang) return null;
    return Object.entries(welcome?.languages ?? {}).find(([, one]) => one === lang)?.[0];
  }

  private restart(): void {
    const { text } = this.choice.sentence;
    this.attempt = this.kept.attemptsAt(PRACTICE, text) + 1;
    this.game = new WordGame(this.choice.sentence, this.ties);
    this.tell("");
    this.show();
  }

  /** The game as far as it was played. */
  private restore(): void {
    const { text } = this.choice.sentence;
    const isSame = this.game.sentence === this.choice.sentence;
    const last = this.kept.attemptsAt(PRACTICE, text);
    this.attempt = Math.max(1, last, isSame ? this.attempt : 0);
    this.game = new WordGame(this.choice.sentence, this.ties);
    for (const { number, question, answer } of last === this.attempt ? this.kept.ofLastAttempt(PRACTICE, text) : [])
      if (question !== "step") this.game.take({ word: number, kind: question, answer });
    this.show();
  }

  // --- moves --------------------------------------------------------------------------------------------

  private pick(number: number): void {
    const { asked } = this.game;
    if (asked?.kind === "head" && asked.open.has(String(number))) this.move(String(number));
  }

  private move(answer: string): void {
    const { asked } = this.game;
    if (!asked) return;
    const { word, kind, right } = asked;
    const move: Move = { word, kind, answer };
    const outcome = this.game.take(move);
    if (!outcome) return;
    const isRight = outcome === "right" || outcome === "equal";
    this.keep(move, right, isRight);
    this.show();
    const texts = this.texts;
    this.tell(texts.outcome(move, outcome), outcome === "hint" ? "" : texts.explanation(move));
    if (isRight && !this.game.asked) this.elements.again.focus();
  }

  private keep({ word, kind, answer }: Move, right: readonly string[], isRight: boolean): void {
    const { text, lang, words } = this.game.sentence;
    const about = { practice: PRACTICE, sentence: text, lang, attempt: this.attempt, number: word } as const;
    const form = words[word - 1]!.form;
    this.kept.add({ ...about, word: form, question: kind, answer, expected: right.join(" "), isRight });
  }

  // --- what is shown ------------------------------------------------------------------------------------

  private get texts(): WordTexts {
    return new WordTexts(this.game, this.glossary);
  }

  private show(): void {
    const { game, elements, texts } = this;
    const { asked } = game;
    elements.asked.textContent = texts.question();
    elements.score.textContent = texts.score();
    offerHints(elements.hint, asked?.hints !== MOST_HINTS);
    elements.showEnd(
      !asked,
      game.mistakes.map((mistake) => (asked ? "" : texts.mistake(mistake))),
    );
    this.buttons.show(this.choices());
    this.draw();
  }

  private draw(): void {
    const { game, elements } = this;
    const { tree } = elements;
    tree.lang = elements.answers.lang = game.sentence.lang;
    elements.answers.dir = game.asked?.kind === "head" ? directionOf(game.sentence.words) : "";
    tree.analysis = treeOf(game);
    tree.differing = game.asked ? [] : [...new Set(game.mistakes.map(({ word }) => word))];
    tree.showWord(game.asked?.word ?? null);
  }

  private choices(): Choice[] {
    const { asked, sentence } = this.game;
    if (!asked) return [];
    const isHead = asked.kind === "head";
    const keys = isHead ? keysOfWords(sentence.words.length, asked.word) : null;
    return asked.answers.map((answer, place) => ({
      answer,
      key: (keys ? keys.get(Number(answer)) : String(place + 1)) ?? "",
      title: this.texts.answer(asked.kind, answer),
      isOpen: asked.open.has(answer),
      lang: isHead && answer !== "0" ? sentence.lang : language(),
      says: this.texts.explanation({ kind: asked.kind, answer }),
    }));
  }

  /** `explained` is in English for now, as all sentences of the glossary. */
  private tell(told: string, explained = ""): void {
    const english = made("span", { lang: "en", textContent: explained });
    this.elements.told.replaceChildren(...(explained ? [told, " ", english] : [told]));
  }
}

/** Whether something is right by the parser's judgement that is not so by the tree. */
function changesAnswers(ties: Ties, words: GoldSentence["words"]): boolean {
  return [...ties.values()].some((arcs) => arcs.length > 1) || words.some(({ head }) => head === null);
}

/** The arcs that are answered; once all are, those of punctuation, too. */
function treeOf({ sentence, heads, roles, asked }: WordGame): TreeAnalysis {
  return {
    words: sentence.words.map(({ form, head, label }, index) => {
      const answered = heads.get(index + 1);
      if (answered === undefined) return { form, head: asked ? null : head, label: asked ? null : label };
      return { form, head: answered, label: answered === 0 ? label : (roles.get(index + 1) ?? "?") };
    }),
  };
}

/** Tells which word of a tree is clicked, or chosen by Enter; keys that lead from word to word choose none. */
function whenPicked(tree: WordElements["tree"]): Signal<number> {
  const picked = new Signal<number>();
  let isWalking = false;
  tree.addEventListener("keydown", () => (isWalking = true), { capture: true });
  tree.addEventListener("keydown", ({ key }) => {
    isWalking = false;
    if (key === "Enter" && tree.currentWord !== null) picked.emit(tree.currentWord);
  });
  tree.addEventListener("wordchosen", (event) => {
    if (!isWalking) picked.emit((event as WordChosen).detail.number);
  });
  return picked;
}
