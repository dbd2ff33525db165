/**
 * Hands out tokens that can be used once, in the order in which they are asked for. They come one at a time: when one is
 * taken, the next is asked for.
 */
export class TokenLine {
  readonly #waiting: ((token: string | null) => void)[] = [];
  #token: string | null = null;
  #renew: () => void = () => {};
  #hasFailed = false;

  /**
   * There is a token.
   * @param renew asks for the next one
   */
  offer(token: string, renew: () => void): void {
    this.#hasFailed = false;
    this.#token = token;
    this.#renew = renew;
    this.#handOut();
  }

  /** The token has expired. */
  withdraw(): void {
    this.#token = null;
  }

  /** No token will come: everyone who waits is told, and whoever asks from now on. */
  fail(): void {
    this.#hasFailed = true;
    for (const take of this.#waiting.splice(0)) take(null);
  }

  /** The next token; null: there is none to be had. */
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
