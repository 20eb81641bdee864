/**
 * Offers the models where there are several, by their languages, and marks the text and all that is made of its words
 * with the language of the model: a screen reader takes its voice.
 */

import { Compartment, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { ClientDocument, TreewhileClient, Welcome } from "../client/index.ts";
import { part, type Page } from "./page_parts.ts";
import { text } from "./texts.ts";
import { languageName } from "../texts/texts.ts";

const TREES = ["tree", "phrases", "steps-tree", "committed-tree", "best-tree"];

const marked = new Compartment();

/** What an editor has to have, so that its language can be told. */
export const languageOfText: Extension = marked.of([]);

export function markLanguage({ client, document, editor }: Page): void {
  whenModelIsKnown(client, document, (welcome, model) => {
    const lang = codeOf(welcome, model);
    editor.dispatch({ effects: marked.reconfigure(EditorView.contentAttributes.of({ lang })) });
    for (const id of TREES) part(id).lang = lang;
  });
}

export function offerLanguages({ client, document, keeper }: Page): void {
  const choice = part<HTMLSelectElement>("model");
  whenModelIsKnown(client, document, (welcome, chosen) => {
    const { models } = welcome;
    choice.replaceChildren(
      ...models.map((name) =>
        Object.assign(new Option(titleOf(welcome, name), name, false, name === chosen), {
          lang: codeOf(welcome, name),
        }),
      ),
    );
    part("model-choice").hidden = models.length < 2;
    part("language").hidden = models.length > 1;
    part("language").textContent = text("language.model", { title: titleOf(welcome, chosen) });
  });
  choice.onchange = () => {
    keeper.note({ model: choice.value });
    document.useModel(choice.value);
  };
}

/** Says when the text looks like another language than the model's, and offers a model of that language. */
export function offerOtherLanguage({ client, document, keeper }: Page): void {
  const [place, told] = [part("other-language"), part("other-language-told")];
  const button = part<HTMLButtonElement>("use-other-language");
  const show = (code: string | null) => {
    const model = client.welcome?.models.find((name) => client.welcome && codeOf(client.welcome, name) === code);
    place.hidden = code === null;
    button.hidden = model === undefined;
    button.value = model ?? "";
    const language = languageName(code ?? "");
    const looks = text(model ? "language.looks" : "language.looks.unknown", { language });
    told.textContent = code === null ? "" : looks;
    button.textContent = text("language.parse", { language });
  };
  document.language.listen((message) => show(message.looks_like));
  document.reopened.listen(() => show(null));
  button.onclick = () => {
    const model = button.value;
    keeper.note({ model });
    document.useModel(model);
  };
}

/** Calls with the model of the document whenever it may be another one, or the server. */
export function whenModelIsKnown(
  client: TreewhileClient,
  document: ClientDocument,
  take: (welcome: Welcome, model: string) => void,
): void {
  const tell = () => client.welcome && take(client.welcome, document.model ?? client.welcome.model);
  client.welcomed.listen(tell);
  // An edit may open a document again: in the midst of one, an editor takes no other change.
  document.reopened.listen(() => queueMicrotask(tell));
}

/** The language of the model of the document, as in HTML; empty where it is not known. */
export function languageOf({ welcome }: TreewhileClient, document: ClientDocument): string {
  return welcome ? codeOf(welcome, document.model ?? welcome.model) : "";
}

/** The code of the language of a model, or the one that its name begins with. */
function codeOf({ languages }: Welcome, model: string): string {
  return languages[model] || /^[a-z]{2,3}(?=$|[-_.])/.exec(model)?.[0] || "";
}

/** Models are named by their language first, in that language: "nl" is "Nederlands (nl)". */
function titleOf(welcome: Welcome, model: string): string {
  const code = codeOf(welcome, model);
  const title = code && new Intl.DisplayNames([code], { type: "language" }).of(code);
  return title && title !== code ? `${title} (${model})` : model;
}
