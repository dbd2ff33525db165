import type { Block, JpegScan } from './content.ts';

/** Codes the blocks of a scan (T.81 annexes F.1.2 and G.1.2). */
export class ScanCoder {
  readonly #scan: JpegScan;
  readonly #isProgressive: boolean;
  readonly #bits = new BitWriter();
  readonly #dcCodes: Codes;
  readonly #acCodes: Codes;
  #predictions = [0, 0, 0, 0];
  /** Number of pending blocks in an end-of-band run, and the correction bits of their coefficients. */
  #endedBlocks = 0;
  #corrections: number[] = [];

  constructor(scan: JpegScan, tables: HuffmanTables, isProgressive: boolean) {
    this.#scan = scan;
    this.#isProgressive = isProgressive;
    this.#dcCodes = codesOf(tables.dc);
    this.#acCodes = codesOf(tables.ac);
  }

  code({ c, values }: Block): void {
    const { ss, ah, al } = this.#scan;
    if (!this.#isProgressive) {
      this.#codeDc(c, values[0] ?? 0);
      this.#codeAc(values, 1, 63);
    } else if (ss > 0) {
      if (ah === 0) this.#codeBand(values);
      else this.#refineBand(values);
    } else if (ah === 0) {
      this.#codeDc(c, (values[0] ?? 0) >> al);
    } else {
      this.#bits.put(((values[0] ?? 0) >> al) & 1, 1);
    }
  }

  restart(number: number): void {
    this.#endRun();
    this.#bits.align();
    this.#bits.marker(0xd0 + number);
    this.#predictions = [0, 0, 0, 0];
  }

  end(): number[] {
    this.#endRun();
    this.#bits.align();
    return this.#bits.bytes;
  }

  #codeDc(c: number, value: number): void {
    const difference = value - (this.#predictions[c] ?? 0);
    this.#predictions[c] = value;
    const size = sizeOf(difference);
    this.#put(this.#dcCodes, size);
    this.#putValue(difference, size);
  }

  #codeAc(values: ArrayLike<number>, from: number, to: number): void {
    let run = 0;
    for (let k = from; k <= to; k += 1) {
      const value = values[k] ?? 0;
      if (value === 0) {
        run += 1;
        continue;
      }
      for (; run > 15; run -= 16) this.#put(this.#acCodes, 0xf0);
      this.#putCoefficient(run, value);
      run = 0;
    }
    if (run > 0) this.#put(this.#acCodes, 0);
  }

  /** Figure G.3. */
  #codeBand(values: ArrayLike<number>): void {
    const { ss, se, al } = this.#scan;
    let run = 0;
    for (let k = ss; k <= se; k += 1) {
      const value = shifted(values[k] ?? 0, al);
      if (value === 0) {
        run += 1;
        continue;
      }
      this.#endRun();
      for (; run > 15; run -= 16) this.#put(this.#acCodes, 0xf0);
      this.#putCoefficient(run, value);
      run = 0;
    }
    if (run > 0) this.#endBlock();
  }

  /** Figure G.7. */
  #refineBand(values: ArrayLike<number>): void {
    const { ss, se, al } = this.#scan;
    let lastNew = 0;
    for (let k = ss; k <= se; k += 1) {
      if (Math.abs(shifted(values[k] ?? 0, al)) === 1) lastNew = k;
    }
    let run = 0;
    let corrections: number[] = [];
    for (let k = ss; k <= se; k += 1) {
      const value = shifted(values[k] ?? 0, al);
      if (value === 0) {
        run += 1;
        continue;
      }
      for (; run > 15 && k <= lastNew; run -= 16) {
        this.#endRun();
        this.#put(this.#acCodes, 0xf0);
        this.#putAll(corrections);
        corrections = [];
      }
      if (Math.abs(value) > 1) {
        corrections.push(Math.abs(value) & 1);
        continue;
      }
      this.#endRun();
      this.#put(this.#acCodes, (run << 4) | 1);
      this.#bits.put(value > 0 ? 1 : 0, 1);
      this.#putAll(corrections);
      corrections = [];
      run = 0;
    }
    if (run > 0 || corrections.length > 0) this.#endBlock(corrections);
  }

  #endBlock(corrections: readonly number[] = []): void {
    this.#endedBlocks += 1;
    this.#corrections.push(...corrections);
    // The maximum length of a run; decoders may also buffer only few correction bits.
    if (this.#endedBlocks === 0x7fff || this.#corrections.length > 900) this.#endRun();
  }

  #endRun(): void {
    if (this.#endedBlocks === 0) return;
    const size = 31 - Math.clz32(this.#endedBlocks);
    this.#put(this.#acCodes, size << 4);
    this.#bits.put(this.#endedBlocks - (1 << size), size);
    this.#putAll(this.#corrections);
    this.#endedBlocks = 0;
    this.#corrections = [];
  }

  #putCoefficient(run: number, value: number): void {
    const size = sizeOf(value);
    this.#put(this.#acCodes, (run << 4) | size);
    this.#putValue(value, size);
  }

  #putValue(value: number, size: number): void {
    this.#bits.put(value < 0 ? value + (1 << size) - 1 : value, size);
  }

  #putAll(bits: readonly number[]): void {
    for (const bit of bits) this.#bits.put(bit, 1);
  }

  #put(codes: Codes, symbol: number): void {
    const code = codes.get(symbol);
    if (!code) throw new RangeError(`there is no code for the symbol ${symbol}`);
    this.#bits.put(code.code, code.length);
  }
}

/** Point transform, rounding toward zero (T.81 §G.1.2.2). */
function shifted(value: number, al: number): number {
  return value < 0 ? -(-value >> al) : value >> al;
}

/** Number of bits of the magnitude (T.81 table F.1). */
function sizeOf(value: number): number {
  return 32 - Math.clz32(Math.abs(value));
}

/** Definitions as in DHT, used for all components. */
export interface HuffmanTables {
  dc: HuffmanDefinition;
  ac: HuffmanDefinition;
}

export interface HuffmanDefinition {
  counts: ArrayLike<number>;
  symbols: ArrayLike<number>;
}

/** Codes for all symbols: DC sizes 0 to 15 with 5 bits each, the 256 AC symbols with 8 or 9. */
export const generousTables: HuffmanTables = {
  dc: { counts: countsOf({ 5: 16 }), symbols: Array.from({ length: 16 }, (_, size) => size) },
  ac: { counts: countsOf({ 8: 254, 9: 2 }), symbols: Array.from({ length: 256 }, (_, i) => i) },
};

function countsOf(codesByLength: Record<number, number>): number[] {
  return Array.from({ length: 16 }, (_, i) => codesByLength[i + 1] ?? 0);
}

/** Codes by symbol. */
type Codes = ReadonlyMap<number, { readonly code: number; readonly length: number }>;

/** T.81 figure C.2. */
export function codesOf({ counts, symbols }: HuffmanDefinition): Codes {
  const codes = new Map<number, { code: number; length: number }>();
  let code = 0;
  let i = 0;
  for (let length = 1; length <= 16; length += 1) {
    const end = i + (counts[length - 1] ?? 0);
    for (; i < end; i += 1, code += 1) codes.set(symbols[i] ?? 0, { code, length });
    code <<= 1;
  }
  return codes;
}

/** Writes the bits of a scan, most significant bit first. */
class BitWriter {
  readonly bytes: number[] = [];
  #pending = 0;
  #pendingBits = 0;

  put(value: number, bits: number): void {
    for (let bit = bits - 1; bit >= 0; bit -= 1) {
      this.#pending = (this.#pending << 1) | ((value >> bit) & 1);
      this.#pendingBits += 1;
      if (this.#pendingBits < 8) continue;
      this.bytes.push(this.#pending);
      // A byte that could begin a marker is followed by a zero (T.81 §F.1.2.3).
      if (this.#pending === 0xff) this.bytes.push(0);
      this.#pending = 0;
      this.#pendingBits = 0;
    }
  }

  /** Pads the last byte with ones. */
  align(): void {
    while (this.#pendingBits > 0) this.put(1, 1);
  }

  marker(code: number): void {
    this.bytes.push(0xff, code);
  }
}
