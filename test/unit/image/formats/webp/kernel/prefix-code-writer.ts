import type { Random } from '../../../../../support/random.ts';

/** Bits, the lowest of each byte first. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #count = 0;

  /** @param value of which so many bits are written */
  number(value: number, bits: number): void {
    for (let i = 0; i < bits; i++, this.#count++) {
      const at = this.#count >> 3;
      this.#bytes[at] = (this.#bytes[at] ?? 0) | (((value >> i) & 1) << (this.#count & 7));
    }
  }

  finished(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

/** In what order the lengths of the code length code are written. */
const lengthOrder = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/** A canonical prefix code. */
export class PrefixCode {
  /** The symbols that have a code. */
  readonly symbols: readonly number[];
  readonly #lengths: readonly number[];
  readonly #codes = new Map<number, { bits: number; length: number }>();

  /** @param lengths of each symbol of the alphabet, 0 where it has none; a single symbol takes no bits */
  constructor(lengths: readonly number[]) {
    this.#lengths = lengths;
    this.symbols = lengths.flatMap((length, symbol) => (length ? [symbol] : []));
    let code = 0;
    for (let length = 1; length <= 15; length++, code <<= 1) {
      for (const symbol of this.symbols) {
        if (lengths[symbol] !== length) continue;
        this.#codes.set(symbol, { bits: reversed(code, length), length });
        code++;
      }
    }
  }

  write(to: BitWriter, symbol: number): void {
    const code = this.#codes.get(symbol);
    if (!code) throw new Error(`${symbol} has no code`);
    if (this.symbols.length > 1) to.number(code.bits, code.length);
  }

  /** Writes the lengths, zeros and repetitions now and then as such. */
  describe(to: BitWriter, random: Random): void {
    const lengths = this.#lengths;
    const code = lengthCode(random);
    to.number(0, 1);
    to.number(15, 4);
    for (const symbol of lengthOrder) to.number(code.#lengths[symbol] ?? 0, 3);
    const steps = [...repetitions(lengths, random)];
    const isCounted = random.unit() < 0.5 && steps.length >= 2;
    to.number(isCounted ? 1 : 0, 1);
    if (isCounted) {
      to.number(5, 3);
      to.number(steps.length - 2, 12);
    }
    for (const { symbol, extra, bits } of steps) {
      code.write(to, symbol);
      to.number(extra, bits);
    }
  }
}

/** Writes a code of one or two symbols below 256 in its short form. */
export function describeSimple(to: BitWriter, symbols: readonly number[]): void {
  const [first = 0, second] = symbols;
  to.number(1, 1);
  to.number(symbols.length - 1, 1);
  to.number(first > 1 ? 1 : 0, 1);
  to.number(first, first > 1 ? 8 : 1);
  if (second !== undefined) to.number(second, 8);
}

/** A code of these symbols, whose lengths come about by chance; steep ones have codes of up to 15 bits. */
export function randomCode(
  random: Random,
  alphabet: number,
  symbols: readonly number[],
  isSteep: boolean,
): PrefixCode {
  const leaves = [0];
  while (leaves.length < symbols.length) {
    const chosen =
      isSteep && random.unit() < 0.7 ? leaves.length - 1 : random.word() % leaves.length;
    const at = (leaves[chosen] ?? 0) < 15 ? chosen : leaves.findIndex((length) => length < 15);
    const length = leaves.splice(at, 1)[0] ?? 0;
    leaves.push(length + 1, length + 1);
  }
  const lengths = new Array<number>(alphabet).fill(0);
  symbols.forEach((symbol, i) => {
    lengths[symbol] = Math.max(1, leaves[i] ?? 1);
  });
  return new PrefixCode(lengths);
}

/** A code of code lengths: thirteen take 4 bits and six 5, whichever they are. */
function lengthCode(random: Random): PrefixCode {
  const short = lengthOrder.map((symbol) => ({ symbol, key: random.unit() }));
  short.sort((a, b) => a.key - b.key);
  const lengths = new Array<number>(19).fill(5);
  for (const { symbol } of short.slice(0, 13)) lengths[symbol] = 4;
  return new PrefixCode(lengths);
}

/** Code lengths one by one or as repetitions (RFC 9649 §6.2.1.2). */
function* repetitions(lengths: readonly number[], random: Random) {
  let before = 8;
  for (let at = 0; at < lengths.length; ) {
    const length = lengths[at] ?? 0;
    let run = 1;
    while (at + run < lengths.length && lengths[at + run] === length) run++;
    const repeats = run >= 3 && random.unit() < 0.8;
    if (repeats && length === 0) {
      const isLong = run >= 11;
      const times = Math.min(run, isLong ? 138 : 10);
      yield isLong
        ? { symbol: 18, extra: times - 11, bits: 7 }
        : { symbol: 17, extra: times - 3, bits: 3 };
      at += times;
    } else if (repeats && length === before) {
      const times = Math.min(run, 6);
      yield { symbol: 16, extra: times - 3, bits: 2 };
      at += times;
    } else {
      yield { symbol: length, extra: 0, bits: 0 };
      if (length) before = length;
      at++;
    }
  }
}

function reversed(code: number, length: number): number {
  let bits = 0;
  for (let i = 0; i < length; i++) bits |= ((code >> i) & 1) << (length - 1 - i);
  return bits;
}
