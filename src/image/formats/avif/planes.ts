import { Pace, type Slices } from '../../slices.ts';
import { arena } from '../../wasm/arena.ts';
import { type CodedPicture, itemBytes, itemPieces, type LocatedItem } from './coded-picture.ts';
import { type Dav1d, dav1d, type Frame, type Pointer } from './dav1d.ts';
import type { AvifChroma, SpatialExtents } from './properties.ts';
import { readSequenceHeader, type SequenceHeader } from './sequence-header.ts';

/** A plane of samples in the arena, one byte each. */
export interface Plane {
  readonly at: Pointer;
  /** Bytes from one row to the next. */
  readonly stride: number;
}

/** A decoded picture as planes of luma and possibly subsampled chroma. */
export interface Planes extends SpatialExtents {
  readonly chroma: AvifChroma;
  readonly luma: Plane;
  /** Null in a gray picture. */
  readonly blue: Plane | null;
  readonly red: Plane | null;
  readonly alpha: (Plane & { readonly fullRange: boolean }) | null;
}

/**
 * Decodes an 8-bit picture in the arena, which it resets. The planes are valid until something else runs there.
 * @param cellMs predicted CPU time of decoding a cell of color or alpha, in milliseconds
 * @throws CodecError if the picture is damaged, its coding differs from its first sequence header, or it takes more
 *   memory than is available
 */
export function decodePlanes(
  file: Uint8Array,
  picture: CodedPicture,
  size: SpatialExtents,
  cellMs: number,
): Slices<Planes> {
  const pace = new Pace(cellMs);
  return dav1d.runInSlices((decoder) => {
    const { columns, rows } = picture.cells;
    return columns * rows === 1
      ? singlePlanes(decoder, file, picture, pace)
      : joinedPlanes(decoder, file, picture, size, pace);
  });
}

/** Planes of a picture without a grid. Alpha is decoded first and copied; color stays in dav1d's frame. */
function* singlePlanes(
  decoder: Dav1d,
  file: Uint8Array,
  { cells, color, alpha }: CodedPicture,
  pace: Pace,
): Slices<Planes | null> {
  const [colorItem] = color;
  const [alphaItem] = alpha ?? [];
  if (!colorItem) return null;
  let alphaPlane: Planes['alpha'] = null;
  if (alphaItem) {
    const decoded = decodeItem(decoder, file, alphaItem, cells);
    if (!decoded) return null;
    const plane = newPlane(decoder, cells.width, cells.height);
    if (!plane) return null;
    const { luma, lumaStride } = decoded.frame;
    copyPlane({ at: luma, stride: lumaStride }, plane, cells);
    alphaPlane = { ...plane, fullRange: decoded.header.color.fullRange };
    yield* pace.after();
  }
  const decoded = decodeItem(decoder, file, colorItem, cells);
  if (!decoded) return null;
  yield* pace.after();
  const { luma, lumaStride, blue, red, chromaStride } = decoded.frame;
  const isGrey = decoded.header.chroma === '400';
  return {
    width: cells.width,
    height: cells.height,
    chroma: decoded.header.chroma,
    luma: { at: luma, stride: lumaStride },
    blue: isGrey ? null : { at: blue, stride: chromaStride },
    red: isGrey ? null : { at: red, stride: chromaStride },
    alpha: alphaPlane,
  };
}

/** Planes of a grid: each cell is decoded and copied to its place in planes of the whole picture. */
function* joinedPlanes(
  decoder: Dav1d,
  file: Uint8Array,
  { cells, color, alpha }: CodedPicture,
  { width, height }: SpatialExtents,
  pace: Pace,
): Slices<Planes | null> {
  const [first] = color;
  const header = first && headerOf(file, first);
  if (!header) return null;
  const { chroma } = header;
  const shared = chromaSize({ width, height }, chroma);
  const luma = newPlane(decoder, width, height);
  const blue = shared && newPlane(decoder, shared.width, shared.height);
  const red = shared && newPlane(decoder, shared.width, shared.height);
  const alphaPlane = alpha && newPlane(decoder, width, height);
  if (!luma || (shared && !(blue && red)) || (alpha && !alphaPlane)) return null;

  let fullRange = true;
  for (let i = 0; i < color.length; i += 1) {
    const at = {
      left: (i % cells.columns) * cells.width,
      top: Math.floor(i / cells.columns) * cells.height,
    };
    const colorItem = color[i];
    const decoded = colorItem && decodeItem(decoder, file, colorItem, cells);
    if (!decoded || decoded.header.chroma !== chroma) return null;
    const { frame } = decoded;
    placeCell({ at: frame.luma, stride: frame.lumaStride }, luma, { ...at, width, height }, cells);
    if (shared && blue && red) {
      const part = chromaSize(cells, chroma) ?? cells;
      const place = { ...shared, ...chromaPlace(at, chroma) };
      placeCell({ at: frame.blue, stride: frame.chromaStride }, blue, place, part);
      placeCell({ at: frame.red, stride: frame.chromaStride }, red, place, part);
    }
    yield* pace.after();
    const alphaItem = alpha?.[i];
    if (alphaItem && alphaPlane) {
      const cover = decodeItem(decoder, file, alphaItem, cells);
      if (!cover) return null;
      fullRange = cover.header.color.fullRange;
      const { luma: at0, lumaStride: stride } = cover.frame;
      placeCell({ at: at0, stride }, alphaPlane, { ...at, width, height }, cells);
      yield* pace.after();
    }
  }
  return {
    width,
    height,
    chroma,
    luma,
    blue,
    red,
    alpha: alphaPlane && { ...alphaPlane, fullRange },
  };
}

interface Decoded {
  readonly frame: Frame;
  readonly header: SequenceHeader;
}

/** Decodes an item; null if it is damaged, has the wrong size or depth, or there is no memory. */
function decodeItem(
  decoder: Dav1d,
  file: Uint8Array,
  item: LocatedItem,
  size: SpatialExtents,
): Decoded | null {
  const header = headerOf(file, item);
  if (header?.bitDepth !== 8) return null;
  const length = itemBytes(item);
  const data = decoder.allocate(length);
  if (data === 0) return null;
  const bytes = new Uint8Array(arena.memory.buffer);
  let at = data;
  for (const piece of itemPieces(file, item)) {
    bytes.set(piece, at);
    at += piece.length;
  }
  const frame = decoder.decode(data, length);
  decoder.free(data);
  return frame && frame.width === size.width && frame.height === size.height
    ? { frame, header }
    : null;
}

/** Bytes that are read to find a sequence header, which has some ten. */
const headerBytes = 128;

/** The sequence header at the beginning of an item. */
export function headerOf(file: Uint8Array, item: LocatedItem): SequenceHeader | null {
  const head = new Uint8Array(Math.min(headerBytes, itemBytes(item)));
  let at = 0;
  for (const piece of itemPieces(file, item)) {
    if (at >= head.length) break;
    head.set(piece.subarray(0, head.length - at), at);
    at += piece.length;
  }
  return readSequenceHeader(head);
}

function newPlane(decoder: Dav1d, width: number, height: number): Plane | null {
  const at = decoder.allocate(width * height);
  return at === 0 ? null : { at, stride: width };
}

/** The size of the chroma planes; null if there are none. */
export function chromaSize(
  { width, height }: SpatialExtents,
  chroma: AvifChroma,
): SpatialExtents | null {
  if (chroma === '400') return null;
  return {
    width: chroma === '444' ? width : (width + 1) >> 1,
    height: chroma === '420' ? (height + 1) >> 1 : height,
  };
}

interface Place {
  readonly left: number;
  readonly top: number;
}

function chromaPlace({ left, top }: Place, chroma: AvifChroma): Place {
  return { left: chroma === '444' ? left : left >> 1, top: chroma === '420' ? top >> 1 : top };
}

/** Copies the visible part of a cell to its place in a plane of the whole picture. */
function placeCell(
  from: Plane,
  to: Plane,
  { left, top, width, height }: Place & SpatialExtents,
  cell: SpatialExtents,
): void {
  const place = { at: to.at + top * to.stride + left, stride: to.stride };
  copyPlane(from, place, {
    width: Math.min(cell.width, width - left),
    height: Math.min(cell.height, height - top),
  });
}

function copyPlane(from: Plane, to: Plane, { width, height }: SpatialExtents): void {
  const bytes = new Uint8Array(arena.memory.buffer);
  for (let y = 0; y < height; y += 1) {
    const start = from.at + y * from.stride;
    bytes.copyWithin(to.at + y * to.stride, start, start + width);
  }
}
