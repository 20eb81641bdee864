/** Which tabs are open: each holds a lock under its id, where the browser has locks. */

const PREFIX = "treewhile-tab-";
const PATIENCE = 500; // milliseconds, for a page that is just being left under the same id

/** The id for a tab that had one; another one where an open tab has that, as when a tab was duplicated. */
export async function claimTab(id: string | null): Promise<string> {
  if (id !== null && (await isClaimed(id))) return id;
  const fresh = newId();
  await isClaimed(fresh);
  return fresh;
}

/** The ids of open tabs; null where that cannot be told. */
export async function openTabs(): Promise<Set<string> | null> {
  const asked = locks()
    ?.query()
    .catch(() => null);
  const held = (await asked)?.held;
  return held ? new Set(held.map(({ name = "" }) => name.slice(PREFIX.length))) : null;
}

/** Holds the lock until the page is gone. */
function isClaimed(id: string): Promise<boolean> {
  return new Promise((resolve) => {
    const hold = () => {
      resolve(true);
      return new Promise<never>(() => {});
    };
    const asked = locks()?.request(PREFIX + id, { signal: AbortSignal.timeout(PATIENCE) }, hold);
    if (asked) asked.catch(() => resolve(false));
    else resolve(true);
  });
}

/** Only secure origins have them. */
function locks(): LockManager | undefined {
  return navigator.locks as LockManager | undefined;
}

/** Secure origins alone have crypto.randomUUID. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((number) => number.toString(36)).join("-");
}
