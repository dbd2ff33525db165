import { type AvifChroma, codePoint, type Nclx } from '../container/properties.ts';

/** The properties of an AV1 stream from its sequence header. */
export interface SequenceHeader {
  /** Maximum frame size in pixels. */
  readonly width: number;
  readonly height: number;
  readonly bitDepth: 8 | 10 | 12;
  readonly chroma: AvifChroma;
  /** Unspecified if the stream does not state it. */
  readonly color: Nclx;
  /** Whether frames may be coded at a smaller width and upscaled by the decoder (super-resolution). */
  readonly mayBeStretched: boolean;
  /** Whether film grain may be added to a second copy of each frame. */
  readonly mayHaveGrain: boolean;
}

const sequenceHeaderType = 1;

/** Maximum number of OBUs before the sequence header: delimiters, metadata and padding. */
const maxUnitsBefore = 8;

/**
 * Reads the sequence header at the beginning of coded data; null if there is none or it is damaged.
 * Source: AV1 Bitstream & Decoding Process Specification, §5.3 and §5.5.
 */
export function readSequenceHeader(data: Uint8Array): SequenceHeader | null {
  let at = 0;
  for (let left = maxUnitsBefore; left > 0; left -= 1) {
    const head = data[at] ?? 0;
    const hasSize = (head & 2) !== 0;
    at += (head & 4) !== 0 ? 2 : 1;
    const size = hasSize ? readLeb128(data, at) : null;
    if (size) at = size.end;
    const end = size ? at + size.value : data.length;
    if (end > data.length || at > data.length) return null;
    if (((head >> 3) & 15) === sequenceHeaderType) return readFields(data.subarray(at, end));
    at = end;
  }
  return null;
}

/** Reads leb128 (§4.10.5). */
function readLeb128(data: Uint8Array, start: number): { value: number; end: number } {
  let value = 0;
  for (let i = 0; i < 8; i += 1) {
    const byte = data[start + i] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if ((byte & 0x80) === 0) return { value, end: start + i + 1 };
  }
  return { value, end: start + 8 };
}

/** Reads bits, most significant first; zeros after the end. */
class BitReader {
  readonly #data: Uint8Array;
  #at = 0;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  get overrun(): boolean {
    return this.#at > 8 * this.#data.length;
  }

  bits(count: number): number {
    let value = 0;
    for (let left = count; left > 0; left -= 1) {
      const byte = this.#data[this.#at >> 3] ?? 0;
      value = 2 * value + ((byte >> (7 - (this.#at & 7))) & 1);
      this.#at += 1;
    }
    return value;
  }

  flag(): boolean {
    return this.bits(1) === 1;
  }

  /** Skips uvlc (§4.10.3). */
  skipUvlc(): void {
    let zeros = 0;
    while (zeros < 32 && !this.flag()) zeros += 1;
    if (zeros < 32) this.bits(zeros);
  }
}

/** Reads sequence_header_obu (§5.5.1). */
function readFields(data: Uint8Array): SequenceHeader | null {
  const reader = new BitReader(data);
  const profile = reader.bits(3);
  reader.bits(1);
  const isReduced = reader.flag();
  if (isReduced) reader.bits(5);
  else skipOperatingPoints(reader);
  const widthBits = reader.bits(4) + 1;
  const heightBits = reader.bits(4) + 1;
  const width = reader.bits(widthBits) + 1;
  const height = reader.bits(heightBits) + 1;
  if (!isReduced && reader.flag()) reader.bits(7);
  // 128 × 128 superblocks, two intra tools.
  reader.bits(3);
  if (!isReduced) skipInterTools(reader);
  const mayBeStretched = reader.flag();
  // CDEF, loop restoration.
  reader.bits(2);
  const color = readColorConfig(reader, profile);
  const mayHaveGrain = reader.flag();
  return reader.overrun ? null : { width, height, ...color, mayBeStretched, mayHaveGrain };
}

/** Skips timing info, decoder model info and operating points (§5.5.1, §5.5.3 and §5.5.4). */
function skipOperatingPoints(reader: BitReader): void {
  let delayBits = 0;
  if (reader.flag()) {
    reader.bits(64);
    if (reader.flag()) reader.skipUvlc();
    if (reader.flag()) {
      delayBits = reader.bits(5) + 1;
      reader.bits(42);
    }
  }
  const hasDisplayDelay = reader.flag();
  for (let left = reader.bits(5) + 1; left > 0 && !reader.overrun; left -= 1) {
    reader.bits(12);
    const level = reader.bits(5);
    if (level > 7) reader.bits(1);
    if (delayBits > 0 && reader.flag()) reader.bits(2 * delayBits + 1);
    if (hasDisplayDelay && reader.flag()) reader.bits(4);
  }
}

function skipInterTools(reader: BitReader): void {
  reader.bits(4);
  const hasOrderHint = reader.flag();
  if (hasOrderHint) reader.bits(2);
  const choosesScreenContent = reader.flag();
  const mayBeScreenContent = choosesScreenContent || reader.flag();
  if (mayBeScreenContent && !reader.flag()) reader.bits(1);
  if (hasOrderHint) reader.bits(3);
}

/** Reads color_config (§5.5.2). */
function readColorConfig(
  reader: BitReader,
  profile: number,
): Pick<SequenceHeader, 'bitDepth' | 'chroma' | 'color'> {
  const isDeep = reader.flag();
  const bitDepth = !isDeep ? 8 : profile === 2 && reader.flag() ? 12 : 10;
  const isMono = profile !== 1 && reader.flag();
  const isDescribed = reader.flag();
  const code = () => (isDescribed ? reader.bits(8) : codePoint.unspecified);
  const [primaries, transfer, matrix] = [code(), code(), code()];
  const isSrgb =
    primaries === codePoint.bt709Primaries &&
    transfer === codePoint.srgbTransfer &&
    matrix === codePoint.identityMatrix;
  const fullRange = !isMono && isSrgb ? true : reader.flag();
  const color = { primaries, transfer, matrix, fullRange };
  if (isMono) return { bitDepth, chroma: '400', color };
  const chroma = isSrgb || profile === 1 ? '444' : readSubsampling(reader, profile, bitDepth);
  if (chroma === '420') reader.bits(2);
  reader.bits(1);
  return { bitDepth, chroma, color };
}

function readSubsampling(reader: BitReader, profile: number, bitDepth: number): AvifChroma {
  if (profile === 0) return '420';
  if (bitDepth < 12) return '422';
  if (!reader.flag()) return '444';
  return reader.flag() ? '420' : '422';
}
