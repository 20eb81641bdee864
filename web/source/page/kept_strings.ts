/** Short strings that the browser keeps, for its next visit or for this tab alone; it may keep none. */

class KeptStrings {
  /** A browser that keeps nothing may refuse the storage itself. */
  constructor(private readonly storage: () => Storage) {}

  /** Null where there is none. */
  get(name: string): string | null {
    try {
      return this.storage().getItem(name);
    } catch {
      return null;
    }
  }

  /** Whether a string is kept from now on; null deletes it. */
  set(name: string, value: string | null): boolean {
    try {
      if (value === null) this.storage().removeItem(name);
      else this.storage().setItem(name, value);
      return true;
    } catch {
      return false;
    }
  }
}

export const inBrowser = new KeptStrings(() => localStorage);
export const inTab = new KeptStrings(() => sessionStorage);
