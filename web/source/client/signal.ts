/** Something that happens again and again, for those who listen. */

export type Stop = () => void;

export class Signal<T> {
  private readonly listeners = new Set<(value: T) => void>();

  /** Calls the listener each time, until the function that comes back is called. */
  listen(listener: (value: T) => void): Stop {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  emit(value: T): void {
    for (const listener of [...this.listeners]) listener(value);
  }
}
