import { ByteCursor, type ByteRange } from '../../container/byte-cursor.ts';

/** The parts of a file before its blocks (GIF89a §17, §18, §19). */
export interface GifHeader {
  /** Size of the logical screen in pixels; either side may be 0. */
  readonly width: number;
  readonly height: number;
  /** Three bytes per color; null if there is no global table. */
  readonly globalTable: ByteRange | null;
  /** File offset of the first block. */
  readonly end: number;
}

/** A block of a file; `start` and `end` are the file offsets of the whole block. */
export type GifBlock =
  | {
      readonly kind: 'image';
      readonly start: number;
      readonly end: number;
      readonly image: CodedImage;
    }
  | {
      readonly kind: 'control';
      readonly start: number;
      readonly end: number;
      readonly control: Control;
    }
  | { readonly kind: 'loop'; readonly start: number; readonly end: number; readonly count: number }
  | {
      readonly kind: 'xmp';
      readonly start: number;
      readonly end: number;
      readonly packet: ByteRange;
    }
  | { readonly kind: 'comment' | 'other'; readonly start: number; readonly end: number };

/** An image descriptor with its data (GIF89a §20, §22). */
export interface CodedImage {
  /** In pixels. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly isInterlaced: boolean;
  /** Three bytes per color; null: the global table applies. */
  readonly localTable: ByteRange | null;
  /** Bits per index, as stated at the start of the data. */
  readonly minCodeSize: number;
  /** Sub-blocks with their terminator, unless the file ends before. */
  readonly data: ByteRange;
  /** Number of sub-blocks. */
  readonly subBlocks: number;
  /** Whether the file ends within the data, which may hold all pixels nevertheless. */
  readonly isCut: boolean;
}

/** A graphic control extension (GIF89a §23). */
export interface Control {
  /** 0 to 7. */
  readonly disposal: number;
  /** In hundredths of a second. */
  readonly delay: number;
  /** The transparent index; -1: none. */
  readonly transparent: number;
}

export const introducer = { extension: 0x21, image: 0x2c, trailer: 0x3b } as const;
export const extensionLabel = { control: 0xf9, comment: 0xfe, application: 0xff } as const;

/** Length of an application identifier and authentication code (GIF89a §26). */
const applicationBytes = 11;
const loopApplications = ['NETSCAPE2.0', 'ANIMEXTS1.0'];
export const xmpApplication = 'XMP DataXMP';

/**
 * The bytes after an XMP packet: wherever a reader of sub-blocks leaves the packet, each byte here leads it to the
 * terminator at the end. Source: XMP part 3 §1.1.2.
 */
export const xmpTrailer = Uint8Array.from({ length: 258 }, (_, i) =>
  i === 0 ? 1 : i === 257 ? 0 : 256 - i,
);

/** Reads the header; undefined if the file ends inside it. */
export function readHeader(view: DataView): GifHeader | undefined {
  const cursor = new ByteCursor(view, 6, view.byteLength, 'little');
  const [width, height] = [cursor.uint16(), cursor.uint16()];
  const flags = cursor.uint8();
  cursor.skip(2);
  const globalTable = readTable(cursor, flags);
  return cursor.overrun ? undefined : { width, height, globalTable, end: cursor.position };
}

/** Byte range of a color table of `2 ** (bits + 1)` colors. */
function readTable(cursor: ByteCursor, flags: number): ByteRange | null {
  if ((flags & 0x80) === 0) return null;
  const length = 3 * 2 ** ((flags & 7) + 1);
  const offset = cursor.position;
  cursor.skip(length);
  return { offset, length };
}

/** Maximum number of blocks, each of which takes time: ten for each frame that an animation may have. */
const maxBlocks = 100_000;

/** Why there are no further blocks. */
export type BlocksEnd =
  /**
   * The trailer, the end of the file, bytes that begin no block, which browsers also treat as the end, or a block that
   * ends the file and shows nothing.
   */
  | 'end'
  /** The file ends within the headers of an image. */
  | 'cut'
  /** There are more blocks than any encoder writes. */
  | 'many';

/**
 * Yields the blocks of a file in order, in time linear in its length; one that the end of the file cuts off only if it
 * is cut off within the data of an image.
 * @param from file offset of the first block
 * @returns why the blocks end
 */
export function* gifBlocks(view: DataView, from: number): Generator<GifBlock, BlocksEnd> {
  const cursor = new ByteCursor(view, from, view.byteLength, 'little');
  for (let blocks = 0; cursor.remaining > 0; blocks += 1) {
    if (blocks === maxBlocks) return 'many';
    const start = cursor.position;
    const first = cursor.uint8();
    if (first !== introducer.extension && first !== introducer.image) return 'end';
    const block =
      first === introducer.image ? readImage(cursor, start) : readExtension(view, cursor, start);
    if (!block) return beginsImage(view, start) ? 'cut' : 'end';
    yield block;
    if (cursor.overrun) return 'end';
  }
  return 'end';
}

/** Whether an image or the control extension before one begins here. */
function beginsImage(view: DataView, start: number): boolean {
  if (view.getUint8(start) === introducer.image) return true;
  const hasLabel = start + 1 < view.byteLength;
  return hasLabel && view.getUint8(start + 1) === extensionLabel.control;
}

/** Undefined if the file ends before the data. */
function readImage(cursor: ByteCursor, start: number): GifBlock | undefined {
  const [left, top] = [cursor.uint16(), cursor.uint16()];
  const [width, height] = [cursor.uint16(), cursor.uint16()];
  const flags = cursor.uint8();
  const localTable = readTable(cursor, flags);
  const minCodeSize = cursor.uint8();
  if (cursor.overrun) return undefined;
  const offset = cursor.position;
  const subBlocks = skipSubBlocks(cursor);
  const isCut = cursor.overrun;
  const data = { offset, length: cursor.position - offset };
  const isInterlaced = (flags & 0x40) !== 0;
  const area = { left, top, width, height, isInterlaced };
  const image = { ...area, localTable, minCodeSize, data, subBlocks, isCut };
  return { kind: 'image', start, end: cursor.position, image };
}

/** Undefined if the file ends within it. */
function readExtension(view: DataView, cursor: ByteCursor, start: number): GifBlock | undefined {
  const block = extensionAt(view, cursor, start);
  return cursor.overrun ? undefined : block;
}

function extensionAt(view: DataView, cursor: ByteCursor, start: number): GifBlock {
  const label = cursor.uint8();
  const content = cursor.position;
  switch (label) {
    case extensionLabel.control: {
      const control = readControl(cursor);
      cursor.position = content;
      skipSubBlocks(cursor);
      if (control) return { kind: 'control', start, end: cursor.position, control };
      break;
    }
    case extensionLabel.application:
      return readApplication(view, cursor, start);
    case extensionLabel.comment:
      skipSubBlocks(cursor);
      return { kind: 'comment', start, end: cursor.position };
    default:
      skipSubBlocks(cursor);
  }
  return { kind: 'other', start, end: cursor.position };
}

/** Undefined if the block is too short. */
function readControl(cursor: ByteCursor): Control | undefined {
  if (cursor.uint8() < 4) return undefined;
  const flags = cursor.uint8();
  const delay = cursor.uint16();
  const index = cursor.uint8();
  return { disposal: (flags >> 2) & 7, delay, transparent: (flags & 1) !== 0 ? index : -1 };
}

function readApplication(view: DataView, cursor: ByteCursor, start: number): GifBlock {
  const content = cursor.position;
  const name = cursor.uint8() === applicationBytes ? cursor.text(applicationBytes) : '';
  if (name === '') cursor.position = Math.min(content, cursor.end);
  const data = cursor.position;
  const count = loopApplications.includes(name) ? readLoopCount(cursor) : undefined;
  cursor.position = data;
  skipSubBlocks(cursor);
  const end = cursor.position;
  if (count !== undefined) return { kind: 'loop', start, end, count };
  const length = end - data - xmpTrailer.length;
  if (name === xmpApplication && length >= 0 && endsWithTrailer(view, end)) {
    return { kind: 'xmp', start, end, packet: { offset: data, length } };
  }
  return { kind: 'other', start, end };
}

/** Repetitions after the first playback; 0: forever. Undefined for a block of another kind. */
function readLoopCount(cursor: ByteCursor): number | undefined {
  if (cursor.remaining < 4) return undefined;
  const length = cursor.uint8();
  const id = cursor.uint8();
  const count = cursor.uint16();
  return length >= 3 && (id & 7) === 1 ? count : undefined;
}

function endsWithTrailer(view: DataView, end: number): boolean {
  const start = end - xmpTrailer.length;
  return xmpTrailer.every((byte, i) => view.getUint8(start + i) === byte);
}

/**
 * Moves past the terminator; at the end of the file, the cursor is overrun.
 * @returns the number of sub-blocks
 */
function skipSubBlocks(cursor: ByteCursor): number {
  let count = 0;
  for (let length = cursor.uint8(); length > 0; length = cursor.uint8()) {
    cursor.skip(length);
    count += 1;
  }
  return count;
}
