interface Entry<Item> {
  readonly order: number;
  readonly item: Item;
}

/** A binary heap: returns the item with the lowest order first; adding and taking one cost logarithmic time. */
export class Heap<Item> {
  readonly #entries: Entry<Item>[] = [];

  get size(): number {
    return this.#entries.length;
  }

  /** The lowest order; undefined if there are no items. */
  get lowest(): number | undefined {
    return this.#entries[0]?.order;
  }

  push(order: number, item: Item): void {
    this.#entries.push({ order, item });
    let at = this.#entries.length - 1;
    while (at > 0 && this.#swapIfLower(at, (at - 1) >> 1)) at = (at - 1) >> 1;
  }

  pop(): Item | undefined {
    const [first] = this.#entries;
    const last = this.#entries.pop();
    if (this.#entries.length > 0 && last !== undefined) {
      this.#entries[0] = last;
      this.#sink();
    }
    return first?.item;
  }

  /** Moves the first entry down to where it belongs. */
  #sink(): void {
    const order = (at: number) => this.#entries[at]?.order ?? Number.POSITIVE_INFINITY;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const child = order(left) <= order(left + 1) ? left : left + 1;
      if (!this.#swapIfLower(child, at)) return;
      at = child;
    }
  }

  #swapIfLower(child: number, parent: number): boolean {
    const [lower, upper] = [this.#entries[child], this.#entries[parent]];
    if (lower === undefined || upper === undefined || lower.order >= upper.order) return false;
    this.#entries[parent] = lower;
    this.#entries[child] = upper;
    return true;
  }
}
