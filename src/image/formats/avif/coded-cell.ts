import { ContainerError } from '../../container/assemble.ts';
import { viewOf } from '../../container/byte-cursor.ts';
import { fileTypeBrands } from '../../container/iso-boxes.ts';
import { isAvif } from './facts.ts';
import { inspectAvif } from './inspect.ts';
import { type Association, type Item, neededItems, readAvifItems } from './items.ts';

/** The AV1 data of a picture, and the properties that readers need. */
export interface CodedPlanes {
  readonly data: Uint8Array;
  readonly associations: readonly Association[];
}

/** An encoded cell. */
export interface CodedCell {
  readonly color: CodedPlanes;
  /** Null if all pixels are opaque. */
  readonly alpha: CodedPlanes | null;
}

/** An encoded cell, and what all files of the encoder have in common. */
export interface CellFile extends CodedCell {
  /** The major brand, followed by the compatible ones. */
  readonly brands: readonly string[];
  /** Content of `hdlr`. */
  readonly handler: Uint8Array;
}

/**
 * Reads the parts of a single-picture file from the encoder.
 * @throws ContainerError if it holds anything else
 */
export function readCell(file: Uint8Array): CellFile {
  const view = viewOf(file);
  const brands = fileTypeBrands(view);
  const isReadable = isAvif(brands) && inspectAvif(view, brands).kind === 'image';
  const all = isReadable ? readAvifItems(file) : null;
  const color = all?.items.get(all.primaryId);
  if (!all || !color) throw unfit();
  const others = (neededItems(all) ?? []).filter(({ id }) => id !== all.primaryId);
  const [alpha] = others;
  if (others.length > 1) throw unfit();
  return {
    brands,
    handler: all.handler,
    color: planesOf(color, file),
    alpha: alpha ? planesOf(alpha, file) : null,
  };
}

/** The planes of an item, whose data the encoder writes in one piece. */
function planesOf({ extents, associations }: Item, file: Uint8Array): CodedPlanes {
  const [range, ...more] = extents ?? [];
  if (!range || more.length > 0) throw unfit();
  return { data: file.subarray(range.offset, range.offset + range.length), associations };
}

/** The error for cells that differ in size or kind. */
export function unfit(): ContainerError {
  return new ContainerError('These AVIF cells do not go together.');
}
