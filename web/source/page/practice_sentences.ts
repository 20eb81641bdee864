/** The sentences of the practice with their trees, written for it, from easy to hard. */

export interface GoldWord {
  readonly form: string;
  readonly head: number | null;
  readonly label: string;
  readonly tag?: string;
  readonly features?: string;
}

export interface GoldSentence {
  readonly text: string;
  readonly group: string;
  /** Of its language, as in HTML; empty if that is not known. */
  readonly lang: string;
  readonly words: readonly GoldWord[];
  /** Why it cannot be practised; missing if it can. */
  readonly obstacle?: string;
}

/** The groups in English, by how hard they are; the others are languages. */
export const [EASY, MEDIUM, HARD] = ["Easy", "Medium", "Hard"] as const;

/** Each word with its head and its relation. */
const WRITTEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [EASY]: {
    "The dog barks.": "The/2/det dog/3/nsubj barks/0/root ./3/punct",
    "She reads a long letter.": "She/2/nsubj reads/0/root a/5/det long/5/amod letter/2/obj ./2/punct",
    "Birds sing in the garden.": "Birds/2/nsubj sing/0/root in/5/case the/5/det garden/2/obl ./2/punct",
  },
  [MEDIUM]: {
    "My neighbour gave the children old books.":
      "My/2/nmod:poss neighbour/3/nsubj gave/0/root the/5/det children/3/iobj old/7/amod books/3/obj ./3/punct",
    "The baker who lives here sells warm bread.":
      "The/2/det baker/6/nsubj who/4/nsubj lives/2/acl:relcl here/4/advmod sells/0/root warm/8/amod bread/6/obj ./6/punct",
    "When it rains, the old roof leaks.":
      "When/3/advmod it/3/nsubj rains/8/advcl ,/3/punct the/7/det old/7/amod roof/8/nsubj leaks/0/root ./8/punct",
  },
  [HARD]: {
    "The letter that the boy who cried had lost came back.":
      "The/2/det letter/10/nsubj that/9/obj the/5/det boy/9/nsubj who/7/nsubj cried/5/acl:relcl had/9/aux " +
      "lost/2/acl:relcl came/0/root back/10/advmod ./10/punct",
    "A man came who sold clocks.":
      "A/2/det man/3/nsubj came/0/root who/5/nsubj sold/2/acl:relcl clocks/5/obj ./3/punct",
  },
  German: {
    "Der Hund schläft.": "Der/2/det Hund/3/nsubj schläft/0/root ./3/punct",
    "Gestern hat sie ein langes Buch gelesen.":
      "Gestern/7/advmod hat/7/aux sie/7/nsubj ein/6/det langes/6/amod Buch/7/obj gelesen/0/root ./7/punct",
    "Ein Brief ist gekommen, der niemandem gefiel.":
      "Ein/2/det Brief/4/nsubj ist/4/aux gekommen/0/root ,/8/punct der/8/nsubj niemandem/8/obl:arg " +
      "gefiel/2/acl:relcl ./4/punct",
  },
  Hebrew: {
    "הכלב נובח.": "הכלב/2/nsubj נובח/0/root ./2/punct",
    "הילדה קוראת ספר ארוך.": "הילדה/2/nsubj קוראת/0/root ספר/2/obj ארוך/3/amod ./2/punct",
    "בגן שרות ציפורים קטנות.": "בגן/2/obl שרות/0/root ציפורים/2/nsubj קטנות/3/amod ./2/punct",
  },
};

/** Of the groups that are not English. */
export const LANGUAGES: Readonly<Record<string, string>> = { German: "de", Hebrew: "he" };

export const PRACTICE_SENTENCES: readonly GoldSentence[] = Object.entries(WRITTEN).flatMap(([group, sentences]) =>
  Object.entries(sentences).map(([text, words]) => {
    return { text, group, lang: LANGUAGES[group] ?? "en", words: words.split(" ").map(wordOf) };
  }),
);

function wordOf(written: string): GoldWord {
  const [form, head, label] = written.split("/") as [string, string, string];
  return { form, head: Number(head), label };
}
