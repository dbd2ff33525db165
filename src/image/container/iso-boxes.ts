import { ascii, uint32 } from './assemble.ts';
import { ByteCursor } from './byte-cursor.ts';

/** A box of the ISO base media file format, with the file offsets of its contents after the header. */
export interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Reads the box at the cursor and moves past it; undefined if it does not fit the cursor's window. Size 0 means "to the
 * end", 1 a 64-bit size after the type. Every box takes at least 8 bytes, so a loop over boxes always ends. Source:
 * ISO/IEC 14496-12 §4.2.
 */
export function nextBox(cursor: ByteCursor): Box | undefined {
  const begin = cursor.position;
  let size = cursor.uint32();
  const type = cursor.text(4);
  if (size === 1) size = cursor.uint64();
  else if (size === 0) size = cursor.end - begin;
  const start = cursor.position;
  if (cursor.overrun || begin + size < start || begin + size > cursor.end) return undefined;
  cursor.position = begin + size;
  return { type, start, end: begin + size };
}

/**
 * Calls `visit` with each box in [start, end). False if the boxes do not fill that window exactly; those before the
 * first one that does not fit have then been visited.
 */
export function visitBoxes(
  view: DataView,
  start: number,
  end: number,
  visit: (box: Box) => void,
): boolean {
  const cursor = new ByteCursor(view, start, end);
  while (cursor.remaining > 0) {
    const box = nextBox(cursor);
    if (!box) return false;
    visit(box);
  }
  return true;
}

/** The first box of each of the types in [start, end); undefined if the boxes do not fit it. */
export function findBoxes<Type extends string>(
  view: DataView,
  start: number,
  end: number,
  types: readonly Type[],
): Partial<Record<Type, Box>> | undefined {
  const found: Partial<Record<Type, Box>> = {};
  const fits = visitBoxes(view, start, end, (box) => {
    const type = types.find((wanted) => wanted === box.type);
    if (type !== undefined) found[type] ??= box;
  });
  return fits ? found : undefined;
}

/** A cursor after the version and flags that begin a full box (ISO/IEC 14496-12 §4.2.2). */
export function openFullBox(
  view: DataView,
  box: Box,
): { cursor: ByteCursor; version: number; flags: number } {
  const cursor = new ByteCursor(view, box.start, box.end);
  const version = cursor.uint8();
  const flags = cursor.uint24();
  return { cursor, version, flags };
}

export interface TopLevelBoxes {
  /** The first of its type: the item tables of the file. */
  readonly meta: Box | undefined;
  /** The first of its type: the tracks of an image sequence. */
  readonly moov: Box | undefined;
  /** Type of the box that exceeds the file, where reading ended; undefined if all boxes fit. */
  readonly misfit: string | undefined;
}

/** The top-level boxes that describe a picture. */
export function topLevelBoxes(view: DataView): TopLevelBoxes {
  const cursor = new ByteCursor(view, 0, view.byteLength);
  let meta: Box | undefined;
  let moov: Box | undefined;
  while (cursor.remaining > 0) {
    const type = new ByteCursor(view, cursor.position + 4, cursor.end).text(4);
    const box = nextBox(cursor);
    if (!box) return { meta, moov, misfit: type };
    if (type === 'meta') meta ??= box;
    if (type === 'moov') moov ??= box;
  }
  return { meta, moov, misfit: undefined };
}

/** Maximum number of brands read; real files list at most ten. */
const maxBrands = 64;

/**
 * Major and compatible brands of an ISO base media file, in the order of its `ftyp` box; empty when
 * the file does not begin with one. A truncated box gives the brands that are present.
 * Source: ISO/IEC 14496-12 §4.3.
 */
export function fileTypeBrands(view: DataView): readonly string[] {
  const head = new ByteCursor(view, 0, view.byteLength);
  head.skip(4);
  if (head.text(4) !== 'ftyp') return [];
  const box = nextBox(new ByteCursor(view, 0, view.byteLength));
  const cursor = new ByteCursor(view, box?.start ?? 8, box?.end ?? view.byteLength);
  const brands: string[] = [];
  if (cursor.remaining >= 4) brands.push(cursor.text(4));
  cursor.skip(4);
  while (cursor.remaining >= 4 && brands.length < maxBrands) brands.push(cursor.text(4));
  return brands;
}

/** A box as pieces to be written in order, so that large contents need not be copied. */
export type BoxPieces = readonly Uint8Array[];

/**
 * A box with a 32-bit size, which suffices for every file written here (ISO/IEC 14496-12 §4.2). Lists are
 * passed as arrays, since a table may have more rows than a call can have arguments.
 */
export function writeBox(type: string, ...content: (Uint8Array | BoxPieces)[]): BoxPieces {
  const pieces = content.flat();
  return [uint32(8 + byteLength(pieces)), ascii(type), ...pieces];
}

/** A box that begins with version and flags (ISO/IEC 14496-12 §4.2.2). */
export function writeFullBox(
  type: string,
  version: number,
  flags: number,
  ...content: (Uint8Array | BoxPieces)[]
): BoxPieces {
  return writeBox(type, uint32(version * 0x100_0000 + flags), ...content);
}

export function byteLength(pieces: BoxPieces): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
