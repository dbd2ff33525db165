import { ContainerError } from '../container/assemble.ts';
import { isOutputType, type OutputType } from '../formats/facts.ts';
import type { Appearance, Finished, Inspection, Source } from '../formats/format.ts';
import { outputFormat, rewrap } from '../formats/registry.ts';
import { carriedMetadata, type Keeping } from '../metadata/carried.ts';
import type { Orientation } from '../metadata/exif-block.ts';
import { noMetadata, withoutEmpty } from '../metadata/metadata.ts';
import { damaged, type Refusal } from '../refusal.ts';
import type { EncodeCandidate, PassthroughCandidate } from './candidates.ts';
import { encodedShape } from './conversion.ts';
import type { Produced } from './result.ts';

/** A candidate whose result has its metadata still to come. */
export type UnfinishedCandidate = EncodeCandidate | PassthroughCandidate;

/**
 * Makes a coded picture ready to be sent: its own profile, its orientation and
 * the metadata that were asked for in, all others out. Pixels that were turned
 * upright carry no orientation any more.
 *
 * Metadata may take more bytes as they are written here than they took in the
 * source. The original never grows by that: under `all` it is then sent as it
 * came, otherwise without them.
 */
export function finish(
  { bytes: file, quality }: Extract<Produced, { kind: 'produced' }>,
  candidate: UnfinishedCandidate,
  source: Source,
  { level, metadata }: Keeping,
): Finished | Refusal {
  const isEncoded = candidate.kind === 'encode';
  const wrap = (appearance: Appearance) =>
    ifReadable(() =>
      isEncoded
        ? wrappedEncoding(file, candidate.type, appearance)
        : rewrap(source.image, file, appearance),
    );
  const bytes = wrap(appearanceOf(candidate, source, { level, metadata }));
  if (!bytes) return damaged;
  if (isEncoded || bytes.length <= source.fileBytes) {
    return { kind: 'finished', bytes, quality, isComplete: true };
  }
  bytes.buffer.transfer(0);
  if (level === 'all') return { kind: 'finished', bytes: file.slice(), quality, isComplete: true };
  const bare = wrap(appearanceOf(candidate, source, { level: 'none', metadata: noMetadata }));
  return bare ? { kind: 'finished', bytes: bare, quality, isComplete: false } : damaged;
}

/** What the result of a candidate carries besides its picture. */
export function appearanceOf(
  candidate: UnfinishedCandidate,
  source: Source,
  { level, metadata }: Keeping,
): Appearance {
  const { type } = candidate;
  const shown = {
    orientation: orientationAfter(candidate, source.image),
    newSize: newSize(candidate, source),
    holdsIptc: isOutputType(type) && outputFormat(type).facts.output.holdsIptc,
  };
  return {
    icc: candidate.kind === 'encode' ? candidate.icc : source.icc,
    metadata: withoutEmpty(carriedMetadata(metadata, level, shown)),
  };
}

/** What an encoder has just written, with this appearance; null where it makes no sense. */
function wrappedEncoding(
  file: Uint8Array<ArrayBuffer>,
  type: OutputType,
  appearance: Appearance,
): Uint8Array<ArrayBuffer> | null {
  const { read, write } = outputFormat(type);
  if (!read) return write.wrap?.(file, appearance) ?? file.slice();
  const inspected = read.inspect(file);
  return inspected.kind === 'image' ? rewrap(inspected.image, file, appearance) : null;
}

/** Null when the structure of a file cannot carry what is asked. */
function ifReadable<Value>(wrap: () => Value): Value | null {
  try {
    return wrap();
  } catch (error) {
    if (error instanceof ContainerError) return null;
    throw error;
  }
}

/** The tag that the result needs; AVIF has transforms of its own. */
function orientationAfter(candidate: UnfinishedCandidate, image: Inspection): Orientation {
  return candidate.kind === 'encode' && candidate.pixels.turn !== 1 ? 1 : image.orientation;
}

/** Null where the pixels are as they were. */
function newSize(
  candidate: UnfinishedCandidate,
  source: Source,
): { readonly width: number; readonly height: number } | null {
  if (candidate.kind !== 'encode') return null;
  const isNew = candidate.pixels.turn !== 1 || candidate.pixels.target !== null;
  return isNew ? encodedShape(source, candidate) : null;
}
