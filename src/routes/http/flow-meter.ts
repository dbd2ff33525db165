/**
 * Interval of stall detection for bodies and responses, in milliseconds. Stalls are counted in checks, not by the
 * clock: nothing moves while an image is being processed, and every client would appear to have stalled.
 */
export const checkInterval = 500;

/** Measures how fast bytes move between the service and one client, in checks. */
export class FlowMeter {
  readonly #windowChecks: number;
  /** Bytes that moved between consecutive checks, newest first. */
  #rates: readonly number[] = [];
  #sinceCheck = 0;
  #idleChecks = 0;

  /** @param window length of the measuring window, in checks */
  constructor(window: number) {
    this.#windowChecks = window;
  }

  /** Counts moved bytes. */
  add(bytes: number): void {
    this.#sinceCheck += bytes;
  }

  /** Must be called once per `checkInterval`. */
  check(): void {
    this.#idleChecks = this.#sinceCheck > 0 ? 0 : this.#idleChecks + 1;
    this.#rates = [this.#sinceCheck, ...this.#rates].slice(0, this.#windowChecks);
    this.#sinceCheck = 0;
  }

  /** Number of consecutive checks without any movement. */
  get idleChecks(): number {
    return this.#idleChecks;
  }

  /** Bytes of the last window and since its last check; null until a full window has passed. */
  get recent(): number | null {
    if (this.#rates.length < this.#windowChecks) return null;
    return this.#rates.reduce((sum, bytes) => sum + bytes, this.#sinceCheck);
  }

  /** Discards the rates: a new window begins. */
  restart(): void {
    this.#rates = [];
  }
}
