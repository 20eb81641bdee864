/** The places of sentences that pass a filter, which are looked for as far as they are wanted. No DOM in it. */

export class PassedPlaces {
  readonly places: number[] = [];
  isWhole = false;
  private finding: Promise<void> = Promise.resolve();

  constructor(private readonly found: AsyncGenerator<number>) {}

  /** Looks for so many, or for all that there are; says whether any are new. */
  async atLeast(count: number): Promise<boolean> {
    const { places, isWhole } = this;
    const before = places.length;
    this.finding = this.finding.then(() => this.find(count));
    await this.finding;
    return places.length > before || this.isWhole !== isWhole;
  }

  private async find(count: number): Promise<void> {
    while (!this.isWhole && this.places.length < count) {
      const next = await this.found.next();
      if (next.done) this.isWhole = true;
      else this.places.push(next.value);
    }
  }
}
