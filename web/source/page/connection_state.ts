/** Says whether the page is connected, and when it tries again. */

import { SILENCE, UNREACHABLE } from "../client/connection.ts";
import type { ConnectionStatus, TreewhileClient } from "../client/index.ts";
import { part, type Page } from "./page_parts.ts";
import { text } from "./texts.ts";

/** The end of a server's reason that tells people when to come back; the page does so by itself, and counts down. */
const ADVICE = /; come back in \d+ s$/;

export function showConnection({ client }: Page): void {
  const place = part("connection");
  const countDown = countDownIn(part("countdown"));
  const tryNow = part<HTMLButtonElement>("try-now");
  const show = (status: ConnectionStatus) => {
    place.className = status.state === "open" && !status.isAlive ? "silent" : status.state;
    if (place.textContent !== told(status)) place.textContent = told(status);
    countDown(status.state === "waiting" ? status.wait : null);
    tryNow.hidden = status.state !== "waiting" && status.state !== "refused";
  };
  client.statusChanged.listen(show);
  tryNow.onclick = () => client.connect();
  addEventListener("online", () => comeBack(client));
  addEventListener("offline", () => {
    show(client.status);
    client.check();
  });
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && comeBack(client));
}

/** What was lost while nobody looked is tried at once, and what seems to be there is asked. */
function comeBack(client: TreewhileClient): void {
  if (client.status.state === "waiting") client.connect();
  else client.check();
}

function told({ state, reason, isAlive }: ConnectionStatus): string {
  if (state === "open") return isAlive ? text("connection.open") : text("connection.silent");
  if (state === "connecting") return text("connection.connecting");
  if (state !== "waiting") return whyTold(reason) || text("connection.none");
  if (!navigator.onLine) return text("connection.offline");
  const why = whyTold(reason.replace(ADVICE, ""));
  return why ? text("connection.lost.why", { why }) : text("connection.lost");
}

/** What the client itself has found out, in the reader's language, or else what the server says. */
function whyTold(reason: string): string {
  if (reason === SILENCE) return text("connection.why.silent");
  return reason === UNREACHABLE ? text("connection.why.unreachable") : reason;
}

/** Tells the seconds that are left, apart from what is announced; null tells nothing. */
function countDownIn(place: HTMLElement): (wait: number | null) => void {
  let timer = 0;
  return (wait) => {
    clearInterval(timer);
    const end = performance.now() + (wait ?? 0);
    const tell = () => {
      const left = Math.max(1, Math.ceil((end - performance.now()) / 1000));
      place.textContent = wait === null ? "" : text("connection.again", { seconds: left });
    };
    tell();
    if (wait !== null) timer = window.setInterval(tell, 1000);
  };
}
