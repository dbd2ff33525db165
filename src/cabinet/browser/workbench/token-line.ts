/**
 * Hands out single-use tokens in the order of the requests. There is one token at a time: when one is taken, the next
 * is requested.
 */
export class TokenLine {
  readonly #waiting: ((token: string | null) => void)[] = [];
  #token: string | null = null;
  #renew: () => void = () => {};
  #hasFailed = false;

  /**
   * Makes a token available.
   * @param renew requests the next token
   */
  offer(token: string, renew: () => void): void {
    this.#hasFailed = false;
    this.#token = token;
    this.#renew = renew;
    this.#handOut();
  }

  /** Called when the token has expired. */
  withdraw(): void {
    this.#token = null;
  }

  /** Called when no token will come: all current and future requests resolve to null. */
  fail(): void {
    this.#hasFailed = true;
    for (const take of this.#waiting.splice(0)) take(null);
  }

  /** Resolves to the next token; to null if no token is available. */
  take(): Promise<string | null> {
    return new Promise((resolve) => {
      if (this.#hasFailed) {
        resolve(null);
        return;
      }
      this.#waiting.push(resolve);
      this.#handOut();
    });
  }

  #handOut(): void {
    const token = this.#token;
    if (token === null) return;
    const take = this.#waiting.shift();
    if (!take) return;
    this.#token = null;
    take(token);
    this.#renew();
  }
}
