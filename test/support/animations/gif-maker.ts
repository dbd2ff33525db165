import type { Region } from '../../../src/image/pixels/raster.ts';

export type Rgb = readonly [number, number, number];

/** A frame as described in a GIF (GIF89a §18 to §23). */
export interface GifFrame {
  readonly region: Region;
  /** One index per pixel of the region, rows from top to bottom, whether interlaced or not. */
  readonly indices: Uint8Array;
  /** Local palette, padded with black to a power of two; the global palette is used if absent. */
  readonly palette?: readonly Rgb[];
  /** The graphic control extension; omitted if absent. */
  readonly control?: GifControl;
  readonly interlaced?: boolean;
  readonly lzw?: LzwOptions;
}

interface GifControl {
  /** 0 and 1: keep; 2: background; 3: previous; 4 to 7 are undefined. */
  readonly disposal?: number;
  /** In hundredths of a second. */
  readonly delay?: number;
  /** Index of the transparent color. */
  readonly transparent?: number;
}

/** How indices are encoded. */
interface LzwOptions {
  /** Keeps using a full table instead of clearing it. */
  readonly deferredClear?: boolean;
  /** Omits the initial clear code. */
  readonly noInitialClear?: boolean;
  /** Omits the end code. */
  readonly noEnd?: boolean;
  /** Bits per index, 2 to 8; the minimum for the palette if absent. */
  readonly indexBits?: number;
  /** Length of the sub-blocks; 255 if absent. */
  readonly blockBytes?: number;
}

export interface GifContent {
  /** Width of the logical screen. */
  readonly width: number;
  readonly height: number;
  /** Global palette; none if absent. */
  readonly palette?: readonly Rgb[];
  /** Index of the background color. */
  readonly background?: number;
  readonly frames: readonly GifFrame[];
  /** The loop count in the NETSCAPE block, 0: endless; no such block if absent. */
  readonly loop?: number;
  /** The application name in the loop block. */
  readonly loopName?: 'NETSCAPE2.0' | 'ANIMEXTS1.0';
  /** Puts the loop block after the frames. */
  readonly loopLast?: boolean;
  readonly comment?: string;
  readonly xmp?: string;
  readonly version?: '87a' | '89a';
  readonly noTrailer?: boolean;
  /** Bytes after the trailer, or after the last frame if there is no trailer. */
  readonly garbage?: Uint8Array;
}

/** A GIF with this content, whether valid or not. */
export function makeGif(content: GifContent): Buffer {
  const { width, height, palette, frames, version = '89a', background = 0 } = content;
  const screen = Buffer.alloc(7);
  screen.writeUInt16LE(width, 0);
  screen.writeUInt16LE(height, 2);
  screen[4] = 0x70 | paletteFlags(palette);
  screen[5] = background;
  const loop = loopBlock(content);
  return Buffer.concat([
    Buffer.from(`GIF${version}`),
    screen,
    paletteBytes(palette),
    ...(content.loopLast ? [] : loop),
    ...(content.comment === undefined ? [] : [commentBlock(content.comment)]),
    ...(content.xmp === undefined ? [] : [xmpBlock(content.xmp)]),
    ...frames.map((frame) => frameBytes(frame, palette)),
    ...(content.loopLast ? loop : []),
    Buffer.from(content.noTrailer ? [] : [0x3b]),
    content.garbage ?? Buffer.alloc(0),
  ]);
}

/** The exponent in headers for a palette of this many colors: it has 2 to the power of (exponent + 1) entries. */
function paletteExponent(palette: readonly Rgb[]): number {
  return Math.max(0, Math.ceil(Math.log2(palette.length)) - 1);
}

function paletteFlags(palette: readonly Rgb[] | undefined): number {
  return palette === undefined ? 0 : 0x80 | paletteExponent(palette);
}

function paletteBytes(palette: readonly Rgb[] | undefined): Buffer {
  if (palette === undefined) return Buffer.alloc(0);
  const bytes = Buffer.alloc(3 * 2 ** (paletteExponent(palette) + 1));
  bytes.set(palette.flat());
  return bytes;
}

function loopBlock({ loop, loopName = 'NETSCAPE2.0' }: GifContent): Buffer[] {
  if (loop === undefined) return [];
  const count = [loop & 255, loop >> 8];
  return [
    Buffer.concat([
      Buffer.from([0x21, 0xff, 11]),
      Buffer.from(loopName),
      Buffer.from([3, 1, ...count, 0]),
    ]),
  ];
}

function commentBlock(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x21, 0xfe]), subBlocks(Buffer.from(text), 255)]);
}

/**
 * XMP is not stored in sub-blocks: a "magic trailer" of descending bytes makes sub-block parsers skip it (XMP part 3,
 * §1.1.2).
 */
function xmpBlock(packet: string): Buffer {
  const trailer = Buffer.from([1, ...Array.from({ length: 256 }, (_, i) => 255 - i), 0]);
  return Buffer.concat([
    Buffer.from([0x21, 0xff, 11]),
    Buffer.from('XMP DataXMP'),
    Buffer.from(packet),
    trailer,
  ]);
}

function frameBytes(frame: GifFrame, globalPalette: readonly Rgb[] | undefined): Buffer {
  const { region, indices, palette, interlaced = false, lzw = {} } = frame;
  const descriptor = Buffer.alloc(10);
  descriptor[0] = 0x2c;
  descriptor.writeUInt16LE(region.left, 1);
  descriptor.writeUInt16LE(region.top, 3);
  descriptor.writeUInt16LE(region.width, 5);
  descriptor.writeUInt16LE(region.height, 7);
  descriptor[9] = paletteFlags(palette) | (interlaced ? 0x40 : 0);
  const used = palette ?? globalPalette ?? [];
  const indexBits = lzw.indexBits ?? Math.max(2, paletteExponent(used) + 1);
  const ordered = interlaced ? interlacedRows(indices, region) : indices;
  const codes = lzwCodes(ordered, indexBits, lzw);
  return Buffer.concat([
    controlBlock(frame.control),
    descriptor,
    paletteBytes(palette),
    Buffer.from([indexBits]),
    subBlocks(codes, lzw.blockBytes ?? 255),
  ]);
}

function controlBlock(control: GifControl | undefined): Buffer {
  if (control === undefined) return Buffer.alloc(0);
  const { disposal = 0, delay = 0, transparent } = control;
  const flags = (disposal << 2) | (transparent === undefined ? 0 : 1);
  return Buffer.from([0x21, 0xf9, 4, flags, delay & 255, delay >> 8, transparent ?? 0, 0]);
}

function subBlocks(data: Uint8Array, length: number): Buffer {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < data.length; at += length) {
    const part = data.subarray(at, at + length);
    parts.push(Buffer.from([part.length]), part);
  }
  return Buffer.concat([...parts, Buffer.from([0])]);
}

/** Rows in the order of the four passes (GIF89a, appendix E). */
function interlacedRows(indices: Uint8Array, { width, height }: Region): Uint8Array {
  const passes = [
    [0, 8],
    [4, 8],
    [2, 4],
    [1, 2],
  ] as const;
  const rows: Uint8Array[] = [];
  for (const [start, step] of passes) {
    for (let y = start; y < height; y += step) {
      rows.push(indices.subarray(y * width, (y + 1) * width));
    }
  }
  return Buffer.concat(rows);
}

const maxCodes = 4096;

/** Variable-length-code LZW (GIF89a, appendix F), as simple as possible. */
function lzwCodes(indices: Uint8Array, indexBits: number, options: LzwOptions): Buffer {
  const clearCode = 1 << indexBits;
  const endCode = clearCode + 1;
  const bytes: number[] = [];
  let held = 0;
  let heldBits = 0;
  const put = (code: number, bits: number) => {
    held |= code << heldBits;
    for (heldBits += bits; heldBits >= 8; heldBits -= 8, held >>>= 8) bytes.push(held & 255);
  };
  let table = new Map<number, number>();
  let next = endCode + 1;
  let codeBits = indexBits + 1;
  const clear = () => {
    put(clearCode, codeBits);
    table = new Map();
    next = endCode + 1;
    codeBits = indexBits + 1;
  };
  if (!options.noInitialClear) clear();
  let prefix = -1;
  for (const index of indices) {
    if (prefix === -1) {
      prefix = index;
      continue;
    }
    const known = table.get(prefix * 256 + index);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    put(prefix, codeBits);
    if (next < maxCodes) {
      table.set(prefix * 256 + index, next);
      // A decoder is one entry behind, so the new code may be the first with more bits.
      if (next === 1 << codeBits && codeBits < 12) codeBits += 1;
      next += 1;
    } else if (!options.deferredClear) clear();
    prefix = index;
  }
  if (prefix !== -1) {
    put(prefix, codeBits);
    // The decoder adds an entry for this code, too, before it reads the next one.
    if (next === 1 << codeBits && codeBits < 12) codeBits += 1;
  }
  if (!options.noEnd) put(endCode, codeBits);
  if (heldBits > 0) bytes.push(held & 255);
  return Buffer.from(bytes);
}
