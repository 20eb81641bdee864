/** Sentences to begin with, in the language of the model: one key or click types one, so that a tree is seen to grow. */

import { languageOf, whenModelIsKnown } from "./languages.ts";
import { part, replaceText, type Page } from "./page_parts.ts";

const SPEED = "120"; // words a minute

/** Written for the page; a replay of an empty text plays the first two. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  en: [
    "The old woman who lives by the river gave her neighbour a letter.",
    "He read it twice before he understood that the house had been sold.",
    "Can you see the dog that stole our breakfast?",
  ],
  af: [
    "Die ou vrou wat by die rivier woon, het vir haar buurman 'n brief gegee.",
    "Hy het dit twee keer gelees voordat hy verstaan het dat die huis verkoop is.",
    "Sien jy die hond wat ons ontbyt gesteel het?",
  ],
  de: [
    "Die alte Frau, die am Fluss wohnt, gab ihrem Nachbarn einen Brief.",
    "Er las ihn zweimal, bevor er verstand, dass das Haus verkauft worden war.",
    "Siehst du den Hund, der unser Frühstück gestohlen hat?",
  ],
  es: [
    "La anciana que vive junto al río le dio una carta a su vecino.",
    "Él la leyó dos veces antes de entender que la casa había sido vendida.",
    "¿Ves al perro que nos robó el desayuno?",
  ],
  fr: [
    "La vieille dame qui habite près de la rivière a donné une lettre à son voisin.",
    "Il l'a lue deux fois avant de comprendre que la maison avait été vendue.",
    "Vois-tu le chien qui a volé notre petit-déjeuner ?",
  ],
  nl: [
    "De oude vrouw die bij de rivier woont, gaf haar buurman een brief.",
    "Hij las hem twee keer voordat hij begreep dat het huis verkocht was.",
    "Zie je de hond die ons ontbijt gestolen heeft?",
  ],
  pt: [
    "A senhora idosa que mora perto do rio deu uma carta ao vizinho.",
    "Ele leu a carta duas vezes antes de entender que a casa tinha sido vendida.",
    "Você viu o cachorro que roubou o nosso café da manhã?",
  ],
};

/** What a replay of an empty text plays. */
export function longExample(lang: string): string {
  return (EXAMPLES[lang] ?? EXAMPLES.en!).slice(0, 2).join(" ");
}

export function offerExamples({ client, document: opened, current, editor, played }: Page): void {
  const place = part("examples");
  const list = place.querySelector("ul")!;
  const examples = () => EXAMPLES[languageOf(client, opened)] ?? [];
  const isOffered = () => editor.state.doc.length === 0 && examples().length > 0;
  const show = () => (place.hidden = !isOffered());
  const run = (text: string) => {
    replaceText(editor, text, text.length);
    editor.focus();
    played.emit(SPEED);
    show();
  };
  whenModelIsKnown(client, opened, () => {
    list.replaceChildren(...examples().map((text) => itemOf(text, languageOf(client, opened), run)));
    show();
  });
  current.listen(show);
  const enter = (event: KeyboardEvent) => {
    if (!isEnter(event) || !isOffered()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    run(examples()[0]!);
  };
  editor.dom.addEventListener("keydown", enter, { capture: true });
}

function isEnter({ key, isComposing, shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  return key === "Enter" && !(isComposing || shiftKey || ctrlKey || altKey || metaKey);
}

function itemOf(text: string, lang: string, run: (text: string) => void): HTMLLIElement {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: text, lang });
  button.onclick = () => run(text);
  const item = document.createElement("li");
  item.append(button);
  return item;
}
