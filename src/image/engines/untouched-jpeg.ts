import { type Build, lengthOf } from '../containers/assemble.ts';
import { rewrappedJpeg } from '../containers/jpeg.ts';
import type { Appearance } from '../containers/rewrapper.ts';
import type { Keeping } from '../keeping.ts';
import { carriedMetadata } from '../metadata/carried.ts';
import { noMetadata } from '../metadata/metadata.ts';
import type { Source } from '../source.ts';

/** A JPEG with its coded picture as it was, which a new coding has to beat. */
export interface UntouchedJpeg {
  readonly build: Build;
  /** In bytes, never more than the file. */
  readonly length: number;
  /** False: metadata that should have stayed would have made it longer than it came. */
  readonly isComplete: boolean;
}

/** What a JPEG carries besides its coefficients, when those stay in place and size. */
export function jpegAppearance({ image, icc }: Source, { level, metadata }: Keeping): Appearance {
  const shown = { orientation: image.orientation, newSize: null, holdsIptc: true };
  return { icc, metadata: carriedMetadata(metadata, level, shown) };
}

/**
 * Metadata may take more bytes as they are written here than they took in the file. It never grows
 * by that: under `all` it is then sent as it came, otherwise without them.
 * @throws ContainerError when the structure of the file cannot be read
 */
export function untouchedJpeg(file: Uint8Array, source: Source, keeping: Keeping): UntouchedJpeg {
  const complete = rewrappedJpeg(file, jpegAppearance(source, keeping));
  const length = lengthOf(complete);
  if (length <= file.length) return { build: complete, length, isComplete: true };
  if (keeping.level === 'all') {
    return { build: (sink) => sink.write(file), length: file.length, isComplete: true };
  }
  const bare = jpegAppearance(source, { level: 'none', metadata: noMetadata });
  const build = rewrappedJpeg(file, bare);
  return { build, length: lengthOf(build), isComplete: false };
}
