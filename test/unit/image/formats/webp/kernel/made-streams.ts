/**
 * VP8L streams (RFC 9649) whose features are chosen and whose symbols are chance: they meet what encoders
 * never write.
 */
import { Random } from '../../../../../support/random.ts';
import { BitWriter, describeSimple, type PrefixCode, randomCode } from './prefix-code-writer.ts';

/** A transform; tiles have sides of 2^`bits`, 2 to 9. */
export type MadeTransform =
  | { readonly type: 'predictor' | 'crossColor'; readonly bits: number }
  | { readonly type: 'subtractGreen' }
  | { readonly type: 'indexing'; readonly colors: number };

/** A pixel or a reference that is written where it stands in the list. */
type MadeToken =
  | { readonly color: readonly [green: number, red: number, blue: number, alpha: number] }
  | { readonly length: number; readonly code: number };

export interface MadeStream {
  readonly width: number;
  readonly height: number;
  readonly seed: number;
  readonly transforms?: readonly MadeTransform[];
  /** 0 to 11. */
  readonly cacheBits?: number;
  /** An entropy image with tiles of 2^`bits`, and how many groups its tiles name at most. */
  readonly groups?: { readonly bits: number; readonly number: number; readonly stated?: number };
  /** Only green varies. */
  readonly isGreen?: boolean;
  /** How often a symbol is a reference. */
  readonly references?: number;
  /** What the pixels begin with. */
  readonly tokens?: readonly MadeToken[];
}

const typeNumbers = { predictor: 0, crossColor: 1, subtractGreen: 2, indexing: 3 };

/** The data of a VP8L chunk; without the header they are those of an ALPH chunk. */
export function madeStream(stream: MadeStream, hasHeader = true): Uint8Array {
  const { width, height } = stream;
  const bits = new BitWriter();
  if (hasHeader) {
    bits.number(0x2f, 8);
    bits.number(width - 1, 14);
    bits.number(height - 1, 14);
    // that there is alpha, which changes nothing
    bits.number(stream.seed & 1, 1);
    bits.number(0, 3);
  }
  new StreamWriter(bits, stream).write();
  return bits.finished();
}

class StreamWriter {
  readonly #bits: BitWriter;
  readonly #stream: MadeStream;
  readonly #random: Random;

  constructor(bits: BitWriter, stream: MadeStream) {
    this.#bits = bits;
    this.#stream = stream;
    this.#random = new Random(stream.seed);
  }

  write(): void {
    const { height, transforms = [], cacheBits = 0, groups } = this.#stream;
    let { width } = this.#stream;
    for (const transform of transforms) {
      this.#bits.number(1, 1);
      this.#bits.number(typeNumbers[transform.type], 2);
      if (transform.type === 'indexing') width = this.#palette(transform.colors, width);
      else if (transform.type !== 'subtractGreen') this.#tiles(transform.bits, width, height);
    }
    this.#bits.number(0, 1);
    this.#cache(cacheBits);
    this.#bits.number(groups ? 1 : 0, 1);
    if (!groups) {
      this.#pixels(width, height, cacheBits, [this.#group(cacheBits)], () => 0);
      return;
    }
    const columns = tilesOver(width, groups.bits);
    const rows = tilesOver(height, groups.bits);
    const stated = groups.stated ?? groups.number;
    const step = Math.floor(stated / groups.number);
    const named = Array.from({ length: columns * rows }, (_, i) =>
      i === 0 ? stated - 1 : (this.#random.word() % groups.number) * step,
    );
    this.#bits.number(groups.bits - 2, 3);
    this.#entropyImage(named);
    const all = Array.from({ length: stated }, () => this.#group(cacheBits));
    const groupAt = (x: number, y: number) =>
      named[(y >> groups.bits) * columns + (x >> groups.bits)] ?? 0;
    this.#pixels(width, height, cacheBits, all, groupAt);
  }

  #cache(bits: number): void {
    this.#bits.number(bits ? 1 : 0, 1);
    if (bits) this.#bits.number(bits, 4);
  }

  #palette(colors: number, width: number): number {
    this.#bits.number(colors - 1, 8);
    this.#smallPicture(colors, 1);
    return tilesOver(width, colors > 16 ? 0 : colors > 4 ? 1 : colors > 2 ? 2 : 3);
  }

  #tiles(bits: number, width: number, height: number): void {
    this.#bits.number(bits - 2, 3);
    this.#smallPicture(tilesOver(width, bits), tilesOver(height, bits));
  }

  /** A palette, or what transforms do in tiles: any pixels will do. */
  #smallPicture(columns: number, rows: number): void {
    const cacheBits = this.#random.word() % 4;
    this.#cache(cacheBits);
    this.#pixels(columns, rows, cacheBits, [this.#group(cacheBits, false)], () => 0, []);
  }

  /** Groups named by red and green, each tile by a literal. */
  #entropyImage(named: readonly number[]): void {
    const all = Array.from({ length: 256 }, (_, i) => i);
    const green = randomCode(this.#random, 280, all, false);
    const red = randomCode(this.#random, 256, all, false);
    this.#bits.number(0, 1);
    green.describe(this.#bits, this.#random);
    red.describe(this.#bits, this.#random);
    for (let i = 0; i < 3; i++) describeSimple(this.#bits, [0]);
    for (const group of named) {
      green.write(this.#bits, group & 255);
      red.write(this.#bits, group >> 8);
    }
  }

  /** The five codes of a group. */
  #group(cacheBits: number, mayBeGreen = true): readonly PrefixCode[] {
    const isGreen = mayBeGreen && this.#stream.isGreen;
    return [0, 1, 2, 3, 4].map((i) => {
      const alphabet = [280 + (cacheBits ? 1 << cacheBits : 0), 256, 256, 256, 40][i] ?? 0;
      return isGreen && i > 0 && i < 4 ? this.#simple([9]) : this.#code(alphabet, i === 0);
    });
  }

  #simple(symbols: readonly number[]): PrefixCode {
    describeSimple(this.#bits, symbols);
    return randomCode(this.#random, 256, symbols, false);
  }

  /** A code of some symbols or all, simple ones included. Green codes have a literal. */
  #code(alphabet: number, isGreen: boolean): PrefixCode {
    const random = this.#random;
    const few = random.word() % (this.#stream.tokens ? 1 : 8);
    if (few === 1) return this.#simple([random.word() % Math.min(alphabet, 256)]);
    if (few === 2) {
      const first = random.word() % Math.min(alphabet - 1, 255);
      return this.#simple([first, first + 1]);
    }
    const share = few === 0 ? 1 : random.unit();
    const some = Array.from({ length: alphabet }, (_, i) => i).filter(
      (symbol) => (isGreen && symbol === 77) || random.unit() < share,
    );
    const shuffled = some
      .map((symbol) => ({ symbol, key: random.unit() }))
      .sort((a, b) => a.key - b.key)
      .map(({ symbol }) => symbol);
    const symbols = shuffled.length > 0 ? shuffled : [5, 6];
    const code = randomCode(random, alphabet, symbols, random.unit() < 0.5);
    code.describe(this.#bits, random);
    return code;
  }

  #pixels(
    width: number,
    height: number,
    cacheBits: number,
    groups: readonly (readonly PrefixCode[])[],
    groupAt: (x: number, y: number) => number,
    tokens = this.#stream.tokens ?? [],
  ): void {
    const total = width * height;
    let next = 0;
    for (let done = 0; done < total; ) {
      const group = groups[groupAt(done % width, Math.floor(done / width))] ?? [];
      const token = tokens[next++];
      if (token && 'color' in token) done += this.#literal(group, token.color);
      else if (token) done += this.#reference(group, token.length, token.code);
      else done += this.#chance(group, width, done, total, cacheBits);
    }
  }

  /** Writes something that is allowed where it stands. Returns how many pixels it is. */
  #chance(
    group: readonly PrefixCode[],
    width: number,
    done: number,
    total: number,
    cacheBits: number,
  ): number {
    const random = this.#random;
    const [green] = group;
    const kind = random.unit();
    const greens = green?.symbols ?? [];
    if (cacheBits && kind > 0.8) {
      const entries = greens.filter((symbol) => symbol >= 280);
      const entry = entries[random.word() % entries.length];
      if (entry !== undefined) {
        green?.write(this.#bits, entry);
        return 1;
      }
    }
    const literals = greens.filter((symbol) => symbol < 256);
    if (kind < (this.#stream.references ?? 0.3) || literals.length === 0) {
      const pixels = this.#anyReference(group, width, done, total);
      if (pixels) return pixels;
    }
    const color = group.slice(0, 4).map((code, i) => {
      const values = i === 0 ? literals : code.symbols;
      return values[random.word() % values.length] ?? 0;
    });
    return this.#literal(group, color);
  }

  #anyReference(group: readonly PrefixCode[], width: number, done: number, total: number): number {
    const random = this.#random;
    const lengths = (group[0]?.symbols ?? []).filter((symbol) => symbol >= 256 && symbol < 280);
    const distances = group[4]?.symbols ?? [];
    for (let attempt = 0; attempt < 20 && lengths.length; attempt++) {
      const length = chosen(random, (lengths[random.word() % lengths.length] ?? 0) - 256);
      const code = chosen(random, distances[random.word() % distances.length] ?? 0);
      if (length > total - done || distanceOf(code, width) > done) continue;
      return this.#reference(group, length, code);
    }
    return 0;
  }

  #literal(group: readonly PrefixCode[], color: readonly number[]): number {
    color.forEach((value, i) => {
      group[i]?.write(this.#bits, value);
    });
    return 1;
  }

  #reference(group: readonly PrefixCode[], length: number, code: number): number {
    const [pixels, back] = [prefixed(length), prefixed(code)];
    group[0]?.write(this.#bits, 256 + pixels.symbol);
    this.#bits.number(pixels.extra, pixels.bits);
    group[4]?.write(this.#bits, back.symbol);
    this.#bits.number(back.extra, back.bits);
    return length;
  }
}

function tilesOver(pixels: number, bits: number): number {
  return Math.ceil(pixels / 2 ** bits);
}

/** The symbol of a length or distance, and what follows it (RFC 9649 §5.2.2). */
function prefixed(value: number): { symbol: number; extra: number; bits: number } {
  if (value <= 4) return { symbol: value - 1, extra: 0, bits: 0 };
  const bits = 30 - Math.clz32(value - 1);
  const half = ((value - 1) >> bits) & 1;
  return { symbol: 2 + 2 * bits + half, extra: (value - 1) & ((1 << bits) - 1), bits };
}

/** A length or distance that a symbol stands for. */
function chosen(random: Random, symbol: number): number {
  if (symbol < 4) return symbol + 1;
  const bits = (symbol - 2) >> 1;
  return ((2 + (symbol & 1)) << bits) + (random.word() % (1 << bits)) + 1;
}

/** No less than the pixels that a coded distance goes back. */
function distanceOf(code: number, width: number): number {
  return code > 120 ? code - 120 : 7 * width + 8;
}
