import { readAvifItems } from '../container/items.ts';
import {
  type CodedPicture,
  codedPicture,
  type Grid,
  itemBytes,
  type LocatedItem,
} from '../container/picture-items.ts';
import type { AvifChroma, Nclx, SpatialExtents } from '../container/properties.ts';
import { headerOf } from './planes.ts';
import type { SequenceHeader } from './sequence-header.ts';

/** What is known about the coded data of a picture before decoding. */
export interface AvifCoding {
  readonly cells: Grid;
  /** Total size of the coded data in bytes. */
  readonly codedBytes: number;
  /** Size of its longest item in bytes. */
  readonly longestBytes: number;
  /** dav1d is faster, but its build decodes only 8 bits and one layer. */
  readonly decoder: 'dav1d' | 'libaom';
  /** Whether a frame may take twice the memory, because it is scaled or has film grain. */
  readonly isDoubled: boolean;
}

/** What `inspect` has determined before. */
interface Described extends SpatialExtents {
  readonly bitDepth: number;
  readonly chroma: AvifChroma;
  readonly nclx: Nclx | null;
}

/** The coding of a picture, and the meaning of its samples if the container does not state it. */
export function codingOf(
  file: Uint8Array,
  image: Described,
): { readonly coding: AvifCoding; readonly nclx: Nclx | null } {
  const all = readAvifItems(file);
  const picture = all && codedPicture(file, all);
  const [first] = picture?.color ?? [];
  const header = first ? headerOf(file, first) : null;
  const nclx = image.nclx ?? header?.color ?? null;
  if (!picture) return { coding: wholeFile(file, image), nclx };
  const items = [...picture.color, ...(picture.alpha ?? [])];
  const lengths = items.map(itemBytes);
  const isPlain = header && isPlainHeader(header, picture, image) && isPlainPicture(file, picture);
  return {
    coding: {
      cells: picture.cells,
      codedBytes: lengths.reduce((sum, length) => sum + length, 0),
      longestBytes: lengths.reduce((longest, length) => Math.max(longest, length), 0),
      decoder: isPlain ? 'dav1d' : 'libaom',
      isDoubled: header !== null && (header.mayBeStretched || header.mayHaveGrain),
    },
    nclx,
  };
}

/** The coding of the same picture in another size, with cells of the same size if it has several. */
export function resizedCoding(coding: AvifCoding, { width, height }: SpatialExtents): AvifCoding {
  const { cells } = coding;
  if (cells.columns * cells.rows === 1) return { ...coding, cells: { ...cells, width, height } };
  const columns = Math.ceil(width / cells.width);
  const rows = Math.ceil(height / cells.height);
  return { ...coding, cells: { ...cells, columns, rows } };
}

/** The coding of a file whose items cannot be determined reliably. */
function wholeFile(file: Uint8Array, { width, height }: SpatialExtents): AvifCoding {
  const { length } = file;
  const cells = { columns: 1, rows: 1, width, height };
  return {
    ...{ cells, codedBytes: length, longestBytes: length },
    ...{ decoder: 'libaom', isDoubled: false },
  };
}

/** Whether a sequence header agrees with the container and has only features that the dav1d build supports. */
function isPlainHeader(
  { width, height, bitDepth, chroma }: SequenceHeader,
  { cells }: CodedPicture,
  image: Described,
): boolean {
  return (
    bitDepth === 8 &&
    image.bitDepth === 8 &&
    chroma === image.chroma &&
    width === cells.width &&
    height === cells.height
  );
}

function isPlainPicture(file: Uint8Array, { color, alpha }: CodedPicture): boolean {
  if (![...color, ...(alpha ?? [])].every(isPlainItem)) return false;
  const [firstAlpha] = alpha ?? [];
  return !firstAlpha || headerOf(file, firstAlpha)?.bitDepth === 8;
}

/** Properties of a coded item that do not affect decoding, or only repeat its stream. */
const plain: ReadonlySet<string> = new Set([
  ...['ispe', 'pixi', 'pasp', 'colr', 'auxC', 'av1C', 'clap', 'irot', 'imir'],
]);

/** Properties that select one of several layers. */
const layering: ReadonlySet<string> = new Set(['a1op', 'a1lx', 'lsel']);

function isPlainItem({ associations }: LocatedItem): boolean {
  return associations.every(
    ({ property: { type }, essential }) => plain.has(type) || (!essential && !layering.has(type)),
  );
}
