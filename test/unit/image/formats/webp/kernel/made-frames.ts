/**
 * VP8 key frames whose header is chosen and whose modes and coefficients are noise: whatever the bits
 * are, they mean something (RFC 6386 §7), and meet rarer cases than pictures do.
 */

/** What a frame header says (RFC 6386 §9.3 to §9.6). */
export interface MadeFrame {
  readonly width: number;
  readonly height: number;
  /** Of the noise. */
  readonly seed: number;
  readonly isSimple?: boolean;
  /** 0 to 63. */
  readonly level?: number;
  /** 0 to 7. */
  readonly sharpness?: number;
  /** Added to the level of intra macroblocks, and of those predicted by block. */
  readonly deltas?: readonly [intra: number, block: number];
  readonly segments?: MadeSegments;
  /** Binary logarithm of the number of token partitions, 0 to 3. */
  readonly partitions?: number;
  /** Index of the quantizer, 0 to 127. */
  readonly quantizer?: number;
  /** Of luma DC, second-order DC and AC, chroma DC and AC; −15 to 15. */
  readonly quantizerDeltas?: readonly number[];
  /** Bytes of noise for each macroblock in the first partition, and in those of tokens. */
  readonly noise?: readonly [modes: number, tokens: number];
}

interface MadeSegments {
  readonly hasMap: boolean;
  readonly isAbsolute: boolean;
  readonly quantizers: readonly number[];
  readonly levels: readonly number[];
  /** Probabilities of the tree; null: 255 each. */
  readonly tree: readonly number[] | null;
}

/** A file with nothing but the frame. */
export function madeWebp(frame: MadeFrame): Uint8Array<ArrayBuffer> {
  const payload = madeFrame(frame);
  const padded = payload.length + (payload.length & 1);
  const file = new Uint8Array(20 + padded);
  const view = new DataView(file.buffer);
  file.set(new TextEncoder().encode('RIFF'));
  view.setUint32(4, 12 + padded, true);
  file.set(new TextEncoder().encode('WEBPVP8 '), 8);
  view.setUint32(16, payload.length, true);
  file.set(payload, 20);
  return file;
}

function madeFrame(frame: MadeFrame): number[] {
  const { width, height, seed, partitions = 0, noise = [40, 400] } = frame;
  const random = randomBytes(seed);
  const macroblocks = Math.ceil(width / 16) * Math.ceil(height / 16);
  const first = madeFirstPartition(frame, macroblocks * noise[0] + 200, random);
  const number = 1 << partitions;
  const rows = Math.ceil(Math.ceil(height / 16) / number);
  const size = 64 + rows * Math.ceil(width / 16) * noise[1];
  // no number that is coded begins with a byte of 255
  const tokens = Array.from({ length: number }, () => [
    random() >> 1,
    ...Array.from({ length: size - 1 }, random),
  ]);
  const tag = 0x10 | (first.length << 5);
  return [
    ...[tag & 0xff, (tag >> 8) & 0xff, tag >> 16, 0x9d, 0x01, 0x2a],
    ...[width & 0xff, width >> 8, height & 0xff, height >> 8],
    ...first,
    ...tokens.slice(1).flatMap(() => [size & 0xff, (size >> 8) & 0xff, size >> 16]),
    ...tokens.flat(),
  ];
}

/** The fields up to the quantizer, and noise for all that follows them. */
function madeFirstPartition(frame: MadeFrame, noiseBytes: number, random: () => number): number[] {
  const bits = new BoolEncoder();
  bits.number(0, 2);
  writeSegments(bits, frame.segments);
  bits.number(frame.isSimple ? 1 : 0, 1);
  bits.number(frame.level ?? 20, 6);
  bits.number(frame.sharpness ?? 0, 3);
  writeDeltas(bits, frame.deltas);
  bits.number(frame.partitions ?? 0, 2);
  bits.number(frame.quantizer ?? 8, 7);
  for (let i = 0; i < 5; i++) bits.optional(frame.quantizerDeltas?.[i] ?? 0, 4);
  for (let i = 0; i < noiseBytes; i++) bits.number(random(), 8);
  return bits.finished();
}

function writeSegments(bits: BoolEncoder, segments: MadeSegments | undefined): void {
  bits.number(segments ? 1 : 0, 1);
  if (!segments) return;
  bits.number(segments.hasMap ? 1 : 0, 1);
  bits.number(1, 1);
  bits.number(segments.isAbsolute ? 1 : 0, 1);
  for (const quantizer of segments.quantizers) bits.optional(quantizer, 7);
  for (const level of segments.levels) bits.optional(level, 6);
  if (!segments.hasMap) return;
  for (let i = 0; i < 3; i++) {
    const probability = segments.tree?.[i];
    bits.number(probability === undefined ? 0 : 1, 1);
    if (probability !== undefined) bits.number(probability, 8);
  }
}

/** Four deltas by reference frame, four by mode: the first of each are those of key frames. */
function writeDeltas(bits: BoolEncoder, deltas: MadeFrame['deltas']): void {
  bits.number(deltas ? 1 : 0, 1);
  if (!deltas) return;
  bits.number(1, 1);
  for (const delta of [deltas[0], 5, -5, 9, deltas[1], -7, 7, 3]) bits.optional(delta, 6);
}

/** Bits as likely as not (RFC 6386 §7.3). */
class BoolEncoder {
  readonly #bytes: number[] = [];
  #range = 255;
  #bottom = 0;
  #bitCount = 24;

  number(value: number, bits: number): void {
    for (let i = bits - 1; i >= 0; i--) this.#bit((value >> i) & 1);
  }

  /** A flag, and what it announces: a number and its sign. */
  optional(value: number, bits: number): void {
    this.number(value === 0 ? 0 : 1, 1);
    if (value === 0) return;
    this.number(Math.abs(value), bits);
    this.number(value < 0 ? 1 : 0, 1);
  }

  finished(): number[] {
    this.number(0, 32);
    return this.#bytes;
  }

  #bit(value: number): void {
    const split = 1 + ((this.#range - 1) >> 1);
    if (value) {
      this.#bottom += split;
      this.#range -= split;
    } else {
      this.#range = split;
    }
    while (this.#range < 128) {
      this.#range <<= 1;
      if (this.#bottom >= 2 ** 31) this.#carry();
      this.#bottom = (this.#bottom * 2) % 2 ** 32;
      this.#bitCount--;
      if (this.#bitCount > 0) continue;
      this.#bytes.push(Math.floor(this.#bottom / 2 ** 24));
      this.#bottom %= 2 ** 24;
      this.#bitCount = 8;
    }
  }

  #carry(): void {
    let at = this.#bytes.length - 1;
    while (this.#bytes[at] === 255) this.#bytes[at--] = 0;
    this.#bytes[at] = (this.#bytes[at] ?? 0) + 1;
  }
}

/** Bytes that a seed stands for. */
function randomBytes(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 8) & 0xff;
  };
}
