import { ContainerError } from '../container/assemble.ts';
import { factsOf } from '../formats/facts.ts';
import type { Finished } from '../formats/format.ts';
import type { Appearance, Inspection, Source } from '../formats/inspection.ts';
import { rewrap } from '../formats/registry.ts';
import { carriedMetadata, type Keeping } from '../metadata/carried.ts';
import type { Orientation } from '../metadata/exif-block.ts';
import { noMetadata, withoutEmpty } from '../metadata/metadata.ts';
import { damaged, type Refusal } from '../refusal.ts';
import type { EncodeCandidate, PassthroughCandidate } from './candidates.ts';
import { encodedShape } from './conversion.ts';

/**
 * Makes a picture that stays as it was coded ready to be sent: its own profile,
 * its orientation and the metadata that were asked for in, all others out.
 *
 * Metadata may take more bytes as they are written here than they took in the
 * source. The original never grows by that: under `all` it is then sent as it
 * came, otherwise without them.
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
  bytes.buffer.transfer(0);
  if (level === 'all') return { kind: 'finished', bytes: file.slice(), quality, isComplete: true };
  const bare = wrap({ level: 'none', metadata: noMetadata });
  return bare ? { kind: 'finished', bytes: bare, quality, isComplete: false } : damaged;
}

/** All metadata are kept, comments too, in what stays in its format. */
export function carriedComments(
  file: Uint8Array,
  { level }: Pick<Keeping, 'level'>,
): Pick<Appearance, 'commentsOf'> {
  return level === 'all' ? { commentsOf: file } : {};
}

/** What the result of a candidate carries besides its picture. */
export function appearanceOf(
  candidate: EncodeCandidate | PassthroughCandidate,
  source: Source,
  { level, metadata }: Keeping,
): Appearance {
  const { output } = factsOf(candidate.type);
  const shown = {
    orientation: orientationAfter(candidate, source.image),
    newSize: newSize(candidate, source),
    holdsIptc: output?.holdsIptc ?? false,
    noticesIn: output?.noticesIn ?? 'exif',
  };
  return {
    icc: candidate.kind === 'encode' ? candidate.icc : source.icc,
    metadata: withoutEmpty(carriedMetadata(metadata, level, shown)),
  };
}

/** Null when the structure of a file cannot carry what is asked. */
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

/** The tag that the result needs; AVIF has transforms of its own. */
function orientationAfter(
  candidate: EncodeCandidate | PassthroughCandidate,
  image: Inspection,
): Orientation {
  return candidate.kind === 'encode' && candidate.pixels.turn !== 1 ? 1 : image.orientation;
}

/** Null where the pixels are as they were. */
function newSize(
  candidate: EncodeCandidate | PassthroughCandidate,
  source: Source,
): { readonly width: number; readonly height: number } | null {
  if (candidate.kind !== 'encode') return null;
  const isNew = candidate.pixels.turn !== 1 || candidate.pixels.target !== null;
  return isNew ? encodedShape(source, candidate) : null;
}
