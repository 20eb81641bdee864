/** Says whether the page is connected, and lets the reader choose a model where there are several. */

import type { ConnectionStatus, TreewhileClient, Welcome } from "../client/index.ts";
import { part, type Page } from "./page_parts.ts";

export function showConnection({ client }: Page): void {
  const place = part("connection");
  client.statusChanged.listen((status) => {
    place.className = status.state;
    place.textContent = told(status);
  });
  client.welcomed.listen((welcome) => offerModels(client, welcome));
  addEventListener("online", () => {
    if (client.status.state === "waiting") client.connect();
  });
}

function told({ state, reason, wait }: ConnectionStatus): string {
  if (state === "open") return "connected";
  if (state === "connecting") return "connecting";
  if (state === "waiting")
    return `not connected, trying again in ${Math.max(1, Math.round(wait / 1000))} s; go on typing`;
  return reason || "not connected";
}

function offerModels(client: TreewhileClient, { model, models }: Welcome): void {
  const choice = part<HTMLSelectElement>("model");
  choice.replaceChildren(...models.map((name) => new Option(titleOf(name), name, false, name === model)));
  choice.onchange = () => client.useModel(choice.value);
  part("model-choice").hidden = models.length < 2;
}

/** Models are named by their language first: "en" is "English (en)". */
function titleOf(model: string): string {
  const language = /^[a-z]{2,3}(?=$|[-_.])/.exec(model)?.[0];
  const title = language && new Intl.DisplayNames(["en"], { type: "language" }).of(language);
  return title && title !== language ? `${title} (${model})` : model;
}
