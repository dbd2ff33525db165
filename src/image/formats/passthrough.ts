import { assembleInto, type Build, lengthOf } from '../container/assemble.ts';
import { carriedMetadata, type Keeping } from '../metadata/carried.ts';
import { noMetadata } from '../metadata/metadata.ts';
import { arena } from '../wasm/arena.ts';
import { copiedOut, type ReleaseFile } from '../wasm/run-in-arena.ts';
import { factsOf } from './facts.ts';
import type { Finished, OwnCandidate } from './format.ts';
import type { Appearance, Source } from './inspection.ts';

/**
 * Passthrough of a lossy picture whose header does not reveal its quality: another candidate is preferred only if it
 * saves a tenth.
 */
export const lossyPassthrough = {
  kind: 'passthrough',
  verify: false,
  advantage: 1 / 0.9,
} as const satisfies OwnCandidate;

/** A file with its coded picture unchanged, which recoding has to beat. */
export interface Untouched {
  readonly build: Build;
  /** Length in bytes, never more than that of the original. */
  readonly length: number;
  /** False if requested metadata was left out, because it would have made the file longer than the original. */
  readonly isComplete: boolean;
}

/** The profile and metadata of a JPEG or PNG that keeps its size and orientation. */
export function keptAppearance({ image, icc }: Source, { level, metadata }: Keeping): Appearance {
  const noticesIn = factsOf(image.type).output?.noticesIn ?? 'exif';
  const shown = { orientation: image.orientation, newSize: null, holdsIptc: true, noticesIn };
  return { icc, metadata: carriedMetadata(metadata, level, shown) };
}

/**
 * Rewraps a file around its unchanged coded picture. If metadata takes more bytes in the result than in the original,
 * the file does not grow: under `all` the original is sent, otherwise the metadata is left out.
 *
 * @param rewrapped assembles the file around its coded picture
 * @throws ContainerError if the structure of the file cannot be read
 */
export function untouched(
  file: Uint8Array,
  source: Source,
  keeping: Keeping,
  rewrapped: (appearance: Appearance) => Build,
): Untouched {
  const complete = rewrapped(keptAppearance(source, keeping));
  const length = lengthOf(complete);
  if (length <= file.length) return { build: complete, length, isComplete: true };
  if (keeping.level === 'all') {
    return { build: (sink) => sink.write(file), length: file.length, isComplete: true };
  }
  const bare = keptAppearance(source, { level: 'none', metadata: noMetadata });
  const build = rewrapped(bare);
  return { build, length: lengthOf(build), isComplete: false };
}

/**
 * Assembles the file to be sent in the arena, which is large enough for any file, so that the source can be freed
 * before the file is copied out.
 *
 * @param makeWay called when the source is no longer needed
 */
export function finishedUntouched(
  { build, length, isComplete }: Untouched,
  makeWay: ReleaseFile,
): Finished {
  const inArena = arena.firstBytes(length);
  assembleInto(inArena, build);
  const bytes = copiedOut([inArena], makeWay);
  return { kind: 'finished', bytes, quality: 'original', isComplete };
}
