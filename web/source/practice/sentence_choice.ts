/** The list of sentences that can be practised: those of the practice, and those of a file that the reader has opened. */

import { languageName } from "../texts/texts.ts";
import { EASY, HARD, LANGUAGES, MEDIUM, PRACTICE_SENTENCES, type GoldSentence } from "./practice_sentences.ts";
import { text } from "./texts.ts";

export class SentenceChoice {
  private sentences: readonly GoldSentence[] = PRACTICE_SENTENCES;

  constructor(private readonly list: HTMLSelectElement) {
    fillChoice(list, this.sentences);
  }

  get sentence(): GoldSentence {
    return this.sentences[Number(this.list.value)]!;
  }

  /** Offers those of a file, too; the one that is chosen stays so while it is there. */
  offer(others: readonly GoldSentence[]): void {
    const { sentence } = this;
    this.sentences = [...PRACTICE_SENTENCES, ...others];
    fillChoice(this.list, this.sentences);
    this.choose((one) => one === sentence);
  }

  /** Chooses the first sentence that is meant and can be practised, if there is one. */
  choose(isMeant: (sentence: GoldSentence) => boolean): void {
    const place = this.sentences.findIndex((one) => !one.obstacle && isMeant(one));
    if (place >= 0) this.list.value = String(place);
  }
}

function fillChoice(list: HTMLSelectElement, sentences: readonly GoldSentence[]): void {
  const groups = new Map<string, HTMLOptGroupElement>();
  for (const [place, { text: sentence, group, lang, obstacle }] of sentences.entries()) {
    const options = groups.get(group) ?? Object.assign(document.createElement("optgroup"), { label: groupTold(group) });
    const told = obstacle ? text("practice.not-offered", { text: sentence, obstacle }) : sentence;
    options.append(Object.assign(new Option(told, String(place)), { lang, dir: "auto", disabled: !!obstacle }));
    groups.set(group, options);
  }
  list.replaceChildren(...groups.values());
}

/** Those of a file have its name. */
function groupTold(group: string): string {
  if (group === EASY) return text("practice.easy");
  if (group === MEDIUM) return text("practice.medium");
  if (group === HARD) return text("practice.hard");
  const lang = LANGUAGES[group];
  return lang ? languageName(lang) : group;
}
