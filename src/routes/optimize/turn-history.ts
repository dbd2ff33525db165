/** The number of the latest turn of each account, in ascending order; of accounts that had theirs long ago, none. */
export class LatestTurns extends Map<string, number> {
  readonly #maxAccounts: number;
  #count = 0;

  constructor(maxAccounts: number) {
    super();
    this.#maxAccounts = maxAccounts;
  }

  note(account: string): void {
    this.#count += 1;
    this.delete(account);
    this.set(account, this.#count);
    const [oldest] = this.keys();
    if (this.size > this.#maxAccounts && oldest !== undefined) this.delete(oldest);
  }
}

/** Number of turns over which the pace is averaged. */
const averagedTurns = 16;

/** How long turns take of late, whatever was predicted, with what the thread does beside them. */
export class Pace {
  #msPerTurn = 0;
  #latest = Number.NEGATIVE_INFINITY;

  /** Moving average of the time from one turn to the next, in milliseconds. */
  get msPerTurn(): number {
    return this.#msPerTurn;
  }

  /**
   * @param arrivedAt when the request arrived: what passed before that did not keep it waiting
   * @param now when its turn begins
   */
  note(arrivedAt: number, now: number): void {
    const took = now - Math.max(arrivedAt, this.#latest);
    this.#msPerTurn += (took - this.#msPerTurn) / averagedTurns;
    this.#latest = now;
  }
}
