import { assembleInto, type Build, lengthOf } from '../container/assemble.ts';
import { carriedMetadata, type Keeping } from '../metadata/carried.ts';
import { noMetadata } from '../metadata/metadata.ts';
import { arena } from '../wasm/arena.ts';
import { copiedOut, type ReleaseFile } from '../wasm/run-in-arena.ts';
import { factsOf } from './facts.ts';
import type { Finished, OwnCandidate } from './format.ts';
import type { Appearance, Source } from './inspection.ts';

/**
 * The coded picture as it is, where the header does not tell how good a lossy one once was: another
 * coding has to save a tenth.
 */
export const lossyPassthrough = {
  kind: 'passthrough',
  verify: false,
  advantage: 1 / 0.9,
} as const satisfies OwnCandidate;

/** A file with its coded picture as it was, which a new coding has to beat. */
export interface Untouched {
  readonly build: Build;
  /** In bytes, never more than the file. */
  readonly length: number;
  /** False: metadata that should have stayed would have made it longer than it came. */
  readonly isComplete: boolean;
}

/** What a JPEG or PNG carries besides its picture, when that stays in place and size. */
export function keptAppearance({ image, icc }: Source, { level, metadata }: Keeping): Appearance {
  const noticesIn = factsOf(image.type).output?.noticesIn ?? 'exif';
  const shown = { orientation: image.orientation, newSize: null, holdsIptc: true, noticesIn };
  return { icc, metadata: carriedMetadata(metadata, level, shown) };
}

/**
 * Metadata may take more bytes as they are written here than they took in the file. It never grows
 * by that: under `all` it is then sent as it came, otherwise without them.
 *
 * @param rewrapped puts the file together around its coded picture
 * @throws ContainerError when the structure of the file cannot be read
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
 * The file as it will be sent. It is put together in the arena, which is large enough for any file, so
 * that the source can make way for the copy.
 *
 * @param makeWay called once the file is not needed any more
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
