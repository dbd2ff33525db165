import { Pace, type Slices } from '../../../slices.ts';
import { arena } from '../../../wasm/arena.ts';
import type { Association } from '../container/items.ts';
import {
  type CodedPicture,
  type Grid,
  itemBytes,
  itemPieces,
  type LocatedItem,
} from '../container/picture-items.ts';
import {
  type AvifChroma,
  pictureProperties,
  type SpatialExtents,
} from '../container/properties.ts';
import {
  dav1d,
  type Frame,
  type Layers,
  libaom,
  type PlaneDecoder,
  type Pointer,
} from './plane-decoders.ts';
import { readSequenceHeader, type SequenceHeader } from './sequence-header.ts';

/** A plane of samples in the arena: one byte each, or two if they have more than 8 bits, the lower one first. */
export interface Plane {
  readonly at: Pointer;
  /** Bytes from one row to the next. */
  readonly stride: number;
  readonly bitDepth: number;
}

/** A decoded picture as planes of luma and possibly subsampled chroma. */
export interface Planes extends SpatialExtents {
  readonly chroma: AvifChroma;
  readonly luma: Plane;
  /** Null in a gray picture. */
  readonly blue: Plane | null;
  readonly red: Plane | null;
  readonly alpha: (Plane & { readonly fullRange: boolean }) | null;
  /** Whether colors are premultiplied with alpha. */
  readonly isPremultiplied: boolean;
}

const decoders = { dav1d, libaom };

/**
 * Decodes a picture in the arena, which it resets. The planes are valid until something else runs there.
 * @param how which decoder to use, and the predicted CPU time of a cell of color or alpha, in milliseconds
 * @throws CodecError if the picture is damaged, its coding differs from its first sequence header, or it takes more
 *   memory than is available
 */
export function decodePlanes(
  file: Uint8Array,
  picture: CodedPicture,
  size: SpatialExtents,
  how: { readonly decoder: keyof typeof decoders; readonly cellMs: number },
): Slices<Planes> {
  const pace = new Pace(how.cellMs);
  return decoders[how.decoder].runInSlices((decoder) => {
    const { columns, rows } = picture.cells;
    return columns * rows === 1
      ? singlePlanes(decoder, file, picture, pace)
      : joinedPlanes(decoder, file, picture, size, pace);
  });
}

/** Planes of a picture without a grid. Alpha is decoded first and copied; color stays in the decoder's frame. */
function* singlePlanes(
  decoder: PlaneDecoder,
  file: Uint8Array,
  { cells, color, alpha, isPremultiplied }: CodedPicture,
  pace: Pace,
): Slices<Planes | null> {
  const [colorItem] = color;
  const [alphaItem] = alpha ?? [];
  if (!colorItem) return null;
  let alphaPlane: Planes['alpha'] = null;
  if (alphaItem) {
    // Allocated before decoding, so that the memory of alpha's frame is in one piece with the rest, for that of color.
    const plane = newPlane(decoder, cells, headerOf(file, alphaItem)?.bitDepth ?? 8);
    const decoded = plane && decodeItem(decoder, file, alphaItem, cells);
    if (!decoded) return null;
    copyPlane(decoded.luma, plane, cells);
    alphaPlane = { ...plane, fullRange: decoded.header.color.fullRange };
    yield* pace.after();
  }
  const decoded = decodeItem(decoder, file, colorItem, cells);
  if (!decoded) return null;
  yield* pace.after();
  const { luma, blue, red, header } = decoded;
  const { chroma } = header;
  const isGrey = chroma === '400';
  return {
    ...{ width: cells.width, height: cells.height, chroma, isPremultiplied },
    ...{ luma, blue: isGrey ? null : blue, red: isGrey ? null : red, alpha: alphaPlane },
  };
}

/** Planes of a grid: each cell is decoded and copied to its place in planes of the whole picture. */
function* joinedPlanes(
  decoder: PlaneDecoder,
  file: Uint8Array,
  { cells, color, alpha, isPremultiplied }: CodedPicture,
  { width, height }: SpatialExtents,
  pace: Pace,
): Slices<Planes | null> {
  const [first] = color;
  const header = first && headerOf(file, first);
  if (!header || sharesChroma(cells, header.chroma)) return null;
  const { chroma, bitDepth } = header;
  const [firstAlpha] = alpha ?? [];
  const alphaDepth = (firstAlpha && headerOf(file, firstAlpha)?.bitDepth) ?? 8;
  const size = { width, height };
  const shared = chromaSize(size, chroma);
  const luma = newPlane(decoder, size, bitDepth);
  const blue = shared && newPlane(decoder, shared, bitDepth);
  const red = shared && newPlane(decoder, shared, bitDepth);
  const alphaPlane = alpha && newPlane(decoder, size, alphaDepth);
  if (!luma || (shared && !(blue && red)) || (alpha && !alphaPlane)) return null;

  let fullRange = true;
  for (let i = 0; i < color.length; i += 1) {
    const at = {
      left: (i % cells.columns) * cells.width,
      top: Math.floor(i / cells.columns) * cells.height,
    };
    const colorItem = color[i];
    const decoded = colorItem && decodeItem(decoder, file, colorItem, cells);
    if (decoded?.header.chroma !== chroma || decoded.header.bitDepth !== bitDepth) return null;
    placeCell(decoded.luma, luma, { ...at, ...size }, cells);
    if (shared && blue && red) {
      const part = chromaSize(cells, chroma) ?? cells;
      const place = { ...shared, ...chromaPlace(at, chroma) };
      placeCell(decoded.blue, blue, place, part);
      placeCell(decoded.red, red, place, part);
    }
    yield* pace.after();
    const alphaItem = alpha?.[i];
    if (alphaItem && alphaPlane) {
      const cover = decodeItem(decoder, file, alphaItem, cells);
      if (cover?.header.bitDepth !== alphaDepth) return null;
      fullRange = cover.header.color.fullRange;
      placeCell(cover.luma, alphaPlane, { ...at, ...size }, cells);
      yield* pace.after();
    }
  }
  return {
    ...{ width, height, chroma, isPremultiplied, luma, blue, red },
    alpha: alphaPlane && { ...alphaPlane, fullRange },
  };
}

/** Whether chroma samples would belong to two cells. */
function sharesChroma({ columns, rows, width, height }: Grid, chroma: AvifChroma): boolean {
  if (chroma === '400' || chroma === '444') return false;
  return (columns > 1 && width % 2 === 1) || (chroma === '420' && rows > 1 && height % 2 === 1);
}

/** Planes of a frame; those of chroma have no meaning in a gray one. */
interface Decoded {
  readonly luma: Plane;
  readonly blue: Plane;
  readonly red: Plane;
  readonly header: SequenceHeader;
}

/** Decodes an item; null if it is damaged, of another size, too deep, not to be shown, or there is no memory. */
function decodeItem(
  decoder: PlaneDecoder,
  file: Uint8Array,
  item: LocatedItem,
  size: SpatialExtents,
): Decoded | null {
  const header = headerOf(file, item);
  const layers = layersOf(item);
  if (!header || !layers || header.bitDepth > decoder.maxBitDepth) return null;
  const length = itemBytes(item);
  const data = decoder.place(length);
  if (data === 0) return null;
  const bytes = new Uint8Array(arena.memory.buffer);
  let at = data;
  for (const piece of itemPieces(file, item)) {
    bytes.set(piece, at);
    at += piece.length;
  }
  const frame = decoder.decode(data, length, layers);
  decoder.free(data);
  return frame && isOf(frame, header, size) ? { ...planesOf(frame), header } : null;
}

function isOf(frame: Frame, { bitDepth }: SequenceHeader, { width, height }: SpatialExtents) {
  return frame.width === width && frame.height === height && frame.bitDepth === bitDepth;
}

function planesOf({ bitDepth, luma, lumaStride, blue, red, chromaStride }: Frame) {
  const chroma = { stride: chromaStride, bitDepth };
  return {
    luma: { at: luma, stride: lumaStride, bitDepth },
    blue: { at: blue, ...chroma },
    red: { at: red, ...chroma },
  };
}

/**
 * The layers of an item to show: those of an operating point (`a1op`, AV1 Image File Format 1.1 §2.3.2.1), and the one
 * that is selected (`lsel`, ISO/IEC 23008-12 §6.5.11). Null if it must not be shown, because an essential property is
 * unknown (ISO/IEC 23008-12 §9.3.1).
 */
function layersOf({ associations }: LocatedItem): Layers | null {
  const isUnknown = ({ property: { type }, essential }: Association) =>
    essential && !pictureProperties.has(type);
  if (associations.some(isUnknown)) return null;
  const contentOf = (type: string) =>
    associations.find(({ property }) => property.type === type)?.property.content;
  const [operatingPoint = 0] = contentOf('a1op') ?? [];
  const [high = 0, low = 0] = contentOf('lsel') ?? allLayers;
  return { operatingPoint, layer: high === 0 ? low : null };
}

/** In `lsel`: a reader may choose. */
const allLayers = [0xff, 0xff];

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

function newPlane(
  decoder: PlaneDecoder,
  { width, height }: SpatialExtents,
  bitDepth: number,
): Plane | null {
  const stride = sampleBytes(bitDepth) * width;
  const at = decoder.allocate(stride * height);
  return at === 0 ? null : { at, stride, bitDepth };
}

export function sampleBytes(bitDepth: number): 1 | 2 {
  return bitDepth > 8 ? 2 : 1;
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
  const at = to.at + top * to.stride + sampleBytes(to.bitDepth) * left;
  copyPlane(
    from,
    { ...to, at },
    {
      width: Math.min(cell.width, width - left),
      height: Math.min(cell.height, height - top),
    },
  );
}

/** Copies samples between planes of the same depth. */
function copyPlane(from: Plane, to: Plane, { width, height }: SpatialExtents): void {
  const bytes = new Uint8Array(arena.memory.buffer);
  const rowBytes = sampleBytes(from.bitDepth) * width;
  for (let y = 0; y < height; y += 1) {
    const start = from.at + y * from.stride;
    bytes.copyWithin(to.at + y * to.stride, start, start + rowBytes);
  }
}
