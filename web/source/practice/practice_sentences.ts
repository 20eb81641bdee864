/** The sentences of both practices with their trees, written for them, from easy to hard. */

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
  Portuguese: {
    "O cão dorme.": "O/2/det cão/3/nsubj dorme/0/root ./3/punct",
    "A professora lê um livro longo.":
      "A/2/det professora/3/nsubj lê/0/root um/5/det livro/3/obj longo/5/amod ./3/punct",
    "A menina que canta vende flores com a mãe.":
      "A/2/det menina/5/nsubj que/4/nsubj canta/2/acl:relcl vende/0/root flores/5/obj com/9/case a/9/det mãe/5/obl " +
      "./5/punct",
  },
  Spanish: {
    "El perro duerme.": "El/2/det perro/3/nsubj duerme/0/root ./3/punct",
    "La maestra lee un libro largo.": "La/2/det maestra/3/nsubj lee/0/root un/5/det libro/3/obj largo/5/amod ./3/punct",
    "La niña que canta vende flores en la plaza.":
      "La/2/det niña/5/nsubj que/4/nsubj canta/2/acl:relcl vende/0/root flores/5/obj en/9/case la/9/det plaza/5/obl " +
      "./5/punct",
  },
  French: {
    "Le chien dort.": "Le/2/det chien/3/nsubj dort/0/root ./3/punct",
    "La maîtresse lit un long roman.":
      "La/2/det maîtresse/3/nsubj lit/0/root un/6/det long/6/amod roman/3/obj ./3/punct",
    "Le garçon qui chante vend des fleurs dans la rue.":
      "Le/2/det garçon/5/nsubj qui/4/nsubj chante/2/acl:relcl vend/0/root des/7/det fleurs/5/obj dans/10/case " +
      "la/10/det rue/5/obl ./5/punct",
  },
  Dutch: {
    "De hond slaapt.": "De/2/det hond/3/nsubj slaapt/0/root ./3/punct",
    "De lerares leest een lang boek.":
      "De/2/det lerares/3/nsubj leest/0/root een/6/det lang/6/amod boek/3/obj ./3/punct",
    "De jongen die zingt verkoopt bloemen in de stad.":
      "De/2/det jongen/5/nsubj die/4/nsubj zingt/2/acl:relcl verkoopt/0/root bloemen/5/obj in/9/case de/9/det " +
      "stad/5/obl ./5/punct",
  },
  Afrikaans: {
    "Die hond slaap.": "Die/2/det hond/3/nsubj slaap/0/root ./3/punct",
    "Die onderwyser lees 'n lang boek.":
      "Die/2/det onderwyser/3/nsubj lees/0/root 'n/6/det lang/6/amod boek/3/obj ./3/punct",
    "Die seun wat sing verkoop blomme in die stad.":
      "Die/2/det seun/5/nsubj wat/4/nsubj sing/2/acl:relcl verkoop/0/root blomme/5/obj in/9/case die/9/det stad/5/obl " +
      "./5/punct",
  },
  Hebrew: {
    "הכלב נובח.": "הכלב/2/nsubj נובח/0/root ./2/punct",
    "הילדה קוראת ספר ארוך.": "הילדה/2/nsubj קוראת/0/root ספר/2/obj ארוך/3/amod ./2/punct",
    "בגן שרות ציפורים קטנות.": "בגן/2/obl שרות/0/root ציפורים/2/nsubj קטנות/3/amod ./2/punct",
  },
};

/** Of the groups that are not English. */
export const LANGUAGES: Readonly<Record<string, string>> = {
  German: "de",
  Portuguese: "pt",
  Spanish: "es",
  French: "fr",
  Dutch: "nl",
  Afrikaans: "af",
  Hebrew: "he",
};

export const PRACTICE_SENTENCES: readonly GoldSentence[] = Object.entries(WRITTEN).flatMap(([group, sentences]) =>
  Object.entries(sentences).map(([text, words]) => {
    return { text, group, lang: LANGUAGES[group] ?? "en", words: words.split(" ").map(wordOf) };
  }),
);

function wordOf(written: string): GoldWord {
  const [form, head, label] = written.split("/") as [string, string, string];
  return { form, head: Number(head), label };
}
