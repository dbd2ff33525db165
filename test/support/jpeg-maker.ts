/**
 * Writes JPEGs out of coefficients, in every way that ITU-T T.81 has for Huffman
 * coding with samples of 8 bits. It knows nothing of src/, so that what is tested
 * with it is not tested with itself.
 */

/** What a scan codes (T.81 §B.2.3); components by their place. */
export interface JpegScan {
  components: readonly number[];
  ss: number;
  se: number;
  ah: number;
  al: number;
}

export interface JpegComponent {
  id?: number;
  /** Sampling factors. */
  horizontal?: number;
  vertical?: number;
  /** Which of the quantization tables it has. */
  table?: number;
}

export interface JpegContent {
  width: number;
  height: number;
  components: readonly JpegComponent[];
  /** Steps by number of the table, 64 each in zigzag order; all of them 1 if there are none. */
  tables?: readonly ArrayLike<number>[];
  /** Steps of 16 bits, even where they would do with 8. */
  wideTables?: boolean;
  /** A block of component `c` that belongs to the picture, quantized, in zigzag order. */
  coefficients: (c: number, bx: number, by: number) => ArrayLike<number>;
  /**
   * One sequential scan of all components, one for each, or scans of one's own,
   * which need not be complete: sequential if all of them have all coefficients,
   * else progressive.
   */
  scans?: 'sequential' | 'separate' | readonly JpegScan[];
  /** In MCUs; 0: no restart markers. */
  restartInterval?: number;
  jfif?: boolean;
  /** The transform that the Adobe segment names; no segment without it. */
  adobe?: 0 | 1 | 2;
  /** Leaves the Huffman tables out: the file has the codes of `huffmanTables`, but no DHT. */
  withoutHuffmanTables?: boolean;
  huffmanTables?: HuffmanTables;
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

/** libjpeg's default for three components of which the first is luma. */
export const defaultProgression: readonly JpegScan[] = [
  { components: [0, 1, 2], ss: 0, se: 0, ah: 0, al: 1 },
  { components: [0], ss: 1, se: 5, ah: 0, al: 2 },
  { components: [2], ss: 1, se: 63, ah: 0, al: 1 },
  { components: [1], ss: 1, se: 63, ah: 0, al: 1 },
  { components: [0], ss: 6, se: 63, ah: 0, al: 2 },
  { components: [0], ss: 1, se: 63, ah: 2, al: 1 },
  { components: [0, 1, 2], ss: 0, se: 0, ah: 1, al: 0 },
  { components: [2], ss: 1, se: 63, ah: 1, al: 0 },
  { components: [1], ss: 1, se: 63, ah: 1, al: 0 },
  { components: [0], ss: 1, se: 63, ah: 1, al: 0 },
];

/** Codes for everything: DC sizes 0 to 15 with 5 bits each, the 256 AC symbols with 8 or 9. */
const generousTables: HuffmanTables = {
  dc: { counts: countsOf({ 5: 16 }), symbols: Array.from({ length: 16 }, (_, size) => size) },
  ac: { counts: countsOf({ 8: 254, 9: 2 }), symbols: Array.from({ length: 256 }, (_, i) => i) },
};

function countsOf(codesByLength: Record<number, number>): number[] {
  return Array.from({ length: 16 }, (_, i) => codesByLength[i + 1] ?? 0);
}

export function makeJpeg(content: JpegContent): Uint8Array<ArrayBuffer> {
  const { components, scans = 'sequential', restartInterval = 0 } = content;
  const picture = new Picture(content);
  const tables = content.huffmanTables ?? generousTables;
  const script = typeof scans === 'string' ? sequentialScans(components.length, scans) : scans;
  const isProgressive = script.some(({ ss, se }) => ss > 0 || se < 63);
  const parts: number[][] = [[0xff, 0xd8]];
  if (content.jfif) parts.push(segment(0xe0, [...ascii('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0]));
  if (content.adobe !== undefined) {
    parts.push(segment(0xee, [...ascii('Adobe'), 0, 100, 0, 0, 0, 0, content.adobe]));
  }
  parts.push(quantizationSegment(content), frameSegment(content, isProgressive));
  if (!content.withoutHuffmanTables) parts.push(huffmanSegment(tables));
  if (restartInterval > 0) parts.push(segment(0xdd, twoBytes(restartInterval)));
  for (const scan of script) {
    parts.push(scanHeader(content, scan), codedScan(picture, scan, tables, isProgressive));
  }
  parts.push([0xff, 0xd9]);
  return joined(parts);
}

function sequentialScans(count: number, order: 'sequential' | 'separate'): JpegScan[] {
  const all = Array.from({ length: count }, (_, c) => c);
  const groups = order === 'sequential' ? [all] : all.map((c) => [c]);
  return groups.map((group) => ({ components: group, ss: 0, se: 63, ah: 0, al: 0 }));
}

/** Coefficients and geometry (T.81 §A.1, §A.2). */
class Picture {
  readonly #content: JpegContent;
  readonly #across: number;
  readonly #down: number;

  constructor(content: JpegContent) {
    this.#content = content;
    this.#across = Math.max(...content.components.map(({ horizontal = 1 }) => horizontal));
    this.#down = Math.max(...content.components.map(({ vertical = 1 }) => vertical));
  }

  get restartInterval(): number {
    return this.#content.restartInterval ?? 0;
  }

  /** The blocks of each MCU of a scan, in their order, by component and position. */
  *mcus({ components }: JpegScan): Generator<Block[]> {
    const { width, height } = this.#content;
    const [first = 0] = components;
    if (components.length === 1) {
      for (let y = 0; y < this.#blocksDown(first); y += 1) {
        for (let x = 0; x < this.#blocksAcross(first); x += 1) yield [this.#block(first, x, y)];
      }
      return;
    }
    for (let my = 0; my < Math.ceil(height / (8 * this.#down)); my += 1) {
      for (let mx = 0; mx < Math.ceil(width / (8 * this.#across)); mx += 1) {
        yield components.flatMap((c) => this.#unit(c, mx, my));
      }
    }
  }

  #unit(c: number, mx: number, my: number): Block[] {
    const { horizontal = 1, vertical = 1 } = this.#content.components[c] ?? {};
    return Array.from({ length: horizontal * vertical }, (_, i) =>
      this.#block(
        c,
        mx * horizontal + (i % horizontal),
        my * vertical + Math.floor(i / horizontal),
      ),
    );
  }

  /** Blocks that fill an MCU up repeat the edge, so that they can be told from others only by their place. */
  #block(c: number, x: number, y: number): Block {
    const bx = Math.min(x, this.#blocksAcross(c) - 1);
    const by = Math.min(y, this.#blocksDown(c) - 1);
    return { c, values: this.#content.coefficients(c, bx, by) };
  }

  #blocksAcross(c: number): number {
    const { horizontal = 1 } = this.#content.components[c] ?? {};
    return Math.ceil(Math.ceil((this.#content.width * horizontal) / this.#across) / 8);
  }

  #blocksDown(c: number): number {
    const { vertical = 1 } = this.#content.components[c] ?? {};
    return Math.ceil(Math.ceil((this.#content.height * vertical) / this.#down) / 8);
  }
}

interface Block {
  readonly c: number;
  readonly values: ArrayLike<number>;
}

function codedScan(
  picture: Picture,
  scan: JpegScan,
  tables: HuffmanTables,
  isProgressive: boolean,
): number[] {
  const coder = new ScanCoder(scan, tables, isProgressive);
  const { restartInterval } = picture;
  let mcus = 0;
  for (const blocks of picture.mcus(scan)) {
    if (restartInterval > 0 && mcus > 0 && mcus % restartInterval === 0) {
      coder.restart((mcus / restartInterval - 1) & 7);
    }
    for (const block of blocks) coder.code(block);
    mcus += 1;
  }
  return coder.end();
}

/** Codes the blocks of a scan (T.81 annexes F.1.2 and G.1.2). */
class ScanCoder {
  readonly #scan: JpegScan;
  readonly #isProgressive: boolean;
  readonly #bits = new BitWriter();
  readonly #dcCodes: Codes;
  readonly #acCodes: Codes;
  #predictions = [0, 0, 0, 0];
  /** Blocks that have ended and are not coded yet, and the correction bits of their coefficients. */
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
    // the most that a run can say; and decoders may keep few correction bits
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

/** Towards zero (T.81 §G.1.2.2). */
function shifted(value: number, al: number): number {
  return value < 0 ? -(-value >> al) : value >> al;
}

/** How many bits the magnitude has (T.81 table F.1). */
function sizeOf(value: number): number {
  return 32 - Math.clz32(Math.abs(value));
}

type Codes = ReadonlyMap<number, { readonly code: number; readonly length: number }>;

/** T.81 figure C.2. */
function codesOf({ counts, symbols }: HuffmanDefinition): Codes {
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
      // a byte that could begin a marker is followed by a zero (T.81 §F.1.2.3)
      if (this.#pending === 0xff) this.bytes.push(0);
      this.#pending = 0;
      this.#pendingBits = 0;
    }
  }

  /** Fills the last byte with ones. */
  align(): void {
    while (this.#pendingBits > 0) this.put(1, 1);
  }

  marker(code: number): void {
    this.bytes.push(0xff, code);
  }
}

function quantizationSegment({ tables, wideTables = false }: JpegContent): number[] {
  const all = tables ?? [new Uint8Array(64).fill(1)];
  return segment(
    0xdb,
    all.flatMap((table, number) => {
      const steps = Array.from(table);
      const isWide = wideTables || steps.some((step) => step > 255);
      return isWide ? [0x10 | number, ...steps.flatMap(twoBytes)] : [number, ...steps];
    }),
  );
}

/** Baseline where it can be, else extended sequential; or progressive. */
function frameSegment(content: JpegContent, isProgressive: boolean): number[] {
  const { width, height, components, tables = [], wideTables = false } = content;
  const isWide = wideTables || tables.some((table) => Array.from(table).some((step) => step > 255));
  return segment(isProgressive ? 0xc2 : isWide ? 0xc1 : 0xc0, [
    ...[8, ...twoBytes(height), ...twoBytes(width), components.length],
    ...components.flatMap((component, c) => {
      const { horizontal = 1, vertical = 1, table = 0 } = component;
      return [idOf(component, c), (horizontal << 4) | vertical, table];
    }),
  ]);
}

function huffmanSegment({ dc, ac }: HuffmanTables): number[] {
  return segment(0xc4, [
    ...[0, ...Array.from(dc.counts), ...Array.from(dc.symbols)],
    ...[0x10, ...Array.from(ac.counts), ...Array.from(ac.symbols)],
  ]);
}

function scanHeader({ components }: JpegContent, scan: JpegScan): number[] {
  return segment(0xda, [
    scan.components.length,
    ...scan.components.flatMap((c) => [idOf(components[c], c), 0]),
    ...[scan.ss, scan.se, (scan.ah << 4) | scan.al],
  ]);
}

/** As in JFIF, if nothing else is said. */
function idOf(component: JpegComponent | undefined, c: number): number {
  return component?.id ?? c + 1;
}

function segment(code: number, content: readonly number[]): number[] {
  return [0xff, code, ...twoBytes(content.length + 2), ...content];
}

function twoBytes(value: number): number[] {
  return [value >> 8, value & 255];
}

function ascii(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}

function joined(parts: readonly number[][]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
