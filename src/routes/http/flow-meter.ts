/**
 * How often stall detection looks at a body or an answer, in milliseconds. Stalls are
 * counted in these checks, not by the clock: while an image is worked on nothing
 * moves, and every client would seem to have stalled.
 */
export const checkInterval = 500;

/** How fast bytes move between the service and one client, in checks. */
export class FlowMeter {
  readonly #windowChecks: number;
  /** Bytes that moved between the last checks, the newest first. */
  #rates: readonly number[] = [];
  #sinceCheck = 0;
  #idleChecks = 0;

  /** @param window that the rate is measured over, in checks */
  constructor(window: number) {
    this.#windowChecks = window;
  }

  /** Notes that bytes have moved. */
  add(bytes: number): void {
    this.#sinceCheck += bytes;
  }

  /** Called once in every `checkInterval`. */
  check(): void {
    this.#idleChecks = this.#sinceCheck > 0 ? 0 : this.#idleChecks + 1;
    this.#rates = [this.#sinceCheck, ...this.#rates].slice(0, this.#windowChecks);
    this.#sinceCheck = 0;
  }

  /** Checks in a row between which nothing moved. */
  get idleChecks(): number {
    return this.#idleChecks;
  }

  /** Bytes of the last window and since its last check; null: no window has passed yet. */
  get recent(): number | null {
    if (this.#rates.length < this.#windowChecks) return null;
    return this.#rates.reduce((sum, bytes) => sum + bytes, this.#sinceCheck);
  }

  /** Forgets the rates: the next window begins. */
  restart(): void {
    this.#rates = [];
  }
}
