import { ContainerError } from '../container/assemble.ts';
import { freeMemory } from '../container/workspace.ts';
import { factsOf } from '../formats/facts.ts';
import type { Finished } from '../formats/format.ts';
import type { Appearance, Inspection, Source } from '../formats/inspection.ts';
import { rewrap } from '../formats/registry.ts';
import { carriedMetadata, type Keeping } from '../metadata/carried.ts';
import type { Orientation } from '../metadata/exif-block.ts';
import { type NewSize, noMetadata, withoutEmpty } from '../metadata/metadata.ts';
import { damaged, type Refusal } from '../refusal.ts';
import type { EncodeCandidate, PassthroughCandidate } from './candidates.ts';
import { encodedShape } from './conversion.ts';

/**
 * Prepares a picture with unchanged coded data for sending: with its profile, its orientation and the requested
 * metadata, and without everything else.
 *
 * If metadata takes more bytes in the result than in the source, the file does not grow: under `all` the original is
 * sent, otherwise the metadata is left out.
 */
export function finish(
  file: Uint8Array<ArrayBuffer>,
  candidate: PassthroughCandidate,
  source: Source,
  { level, metadata }: Keeping,
): Finished | Refusal {
  const quality = 'original';
  const wrap = (keeping: Keeping) =>
    rewrapped(source, file, {
      ...appearanceOf(candidate, source, keeping),
      ...carriedComments(file, keeping),
    });
  const bytes = wrap({ level, metadata });
  if (!bytes) return damaged;
  if (bytes.length <= source.fileBytes) {
    return { kind: 'finished', bytes, quality, isComplete: true };
  }
  freeMemory(bytes);
  if (level === 'all') return { kind: 'finished', bytes: file.slice(), quality, isComplete: true };
  const bare = wrap({ level: 'none', metadata: noMetadata });
  return bare ? { kind: 'finished', bytes: bare, quality, isComplete: false } : damaged;
}

/** The file whose comments are copied: under `all`, a picture that keeps its format keeps its comments as well. */
export function carriedComments(
  file: Uint8Array,
  { level }: Pick<Keeping, 'level'>,
): Pick<Appearance, 'commentsOf'> {
  return level === 'all' ? { commentsOf: file } : {};
}

/** The profile and metadata of a candidate's result. */
export function appearanceOf(
  candidate: EncodeCandidate | PassthroughCandidate,
  source: Source,
  { level, metadata }: Keeping,
): Appearance {
  const { output } = factsOf(candidate.type);
  const shown = {
    orientation: orientationAfter(candidate, source.image),
    newSize: newSize(candidate, source),
    isNowSrgb:
      candidate.kind === 'encode' && candidate.pixels.toSrgb && source.color.space === 'cmyk',
    holdsIptc: output?.holdsMetadata.includes('iptc') ?? false,
    noticesIn: output?.noticesIn ?? 'exif',
  };
  return {
    icc: candidate.kind === 'encode' ? candidate.icc : source.icc,
    metadata: withoutEmpty(carriedMetadata(metadata, level, shown)),
  };
}

/** Returns null if the structure of the file cannot carry the requested profile or metadata. */
function rewrapped(
  { image }: Source,
  file: Uint8Array,
  appearance: Appearance,
): Uint8Array<ArrayBuffer> | null {
  try {
    return rewrap(image, file, appearance);
  } catch (error) {
    if (error instanceof ContainerError) return null;
    throw error;
  }
}

/** The EXIF orientation of the result; AVIF has transforms of its own instead. */
function orientationAfter(
  candidate: EncodeCandidate | PassthroughCandidate,
  image: Inspection,
): Orientation {
  return candidate.kind === 'encode' && candidate.pixels.turn !== 1 ? 1 : image.orientation;
}

/** The size to state in metadata; null if pixels are unchanged. */
function newSize(
  candidate: EncodeCandidate | PassthroughCandidate,
  source: Source,
): NewSize | null {
  if (candidate.kind !== 'encode') return null;
  const { turn, target } = candidate.pixels;
  if (turn === 1 && target === null) return null;
  const { width, height } = encodedShape(source, candidate);
  const { image } = source;
  const isWhole =
    target?.region.width === image.width &&
    target.region.height === image.height &&
    !target.place &&
    turn === 1;
  const scale = isWhole ? { x: width / image.width, y: height / image.height } : null;
  return { width, height, scale };
}
