import { basename, dirname, join, resolve } from 'node:path';
import { OptimizeError } from '../errors.ts';
import { type MediaType, nameForType, nameInSet, typeOfFormat } from '../images.ts';
import type { FoundFile } from './find.ts';

/** What names a result. */
export interface ResultName {
  /** Media type. */
  readonly type: string;
  /** Of a set: the width of its box. */
  readonly width?: number;
}

/**
 * The path for a result. In place, that is the file itself (a link's target); in an out folder, the file's path
 * relative to the input it was found in. The extension changes with the format. Results of a set have names of their
 * own.
 */
export function destinationOf(
  file: FoundFile,
  outFolder: string | null,
  inputType: string,
  { type, width }: ResultName,
): string {
  const path = outFolder === null ? file.realPath : resolve(outFolder, file.relativePath);
  const name = basename(path);
  const own = width === undefined;
  return join(
    dirname(path),
    own ? nameForType(name, inputType, type) : nameInSet(name, width, type),
  );
}

/** The media type of the result; null if the service chooses it (`format=auto`). */
export function expectedType(format: string | undefined, inputType: MediaType): MediaType | null {
  if (format === undefined || format === 'keep') return inputType;
  return format === 'auto' ? null : typeOfFormat(format);
}

/** Remembers which source each destination belongs to, so that no result overwrites a source or another result. */
export class Destinations {
  readonly #sources = new Map<string, string>();

  /**
   * Claims a destination for a source.
   * @throws OptimizeError `name_collision` if it belongs to another source
   */
  claim(destination: string, source: string): void {
    const owner = this.tryClaim(destination, source);
    if (owner === source) return;
    throw new OptimizeError('name_collision', {
      detail: `The result would have the name of another image’s, ${owner}: rename one of the two, or optimize them separately.`,
    });
  }

  /** Claims a destination for a source unless it is taken. Returns the source that it belongs to. */
  tryClaim(destination: string, source: string): string {
    const name = comparable(destination);
    const owner = this.#sources.get(name) ?? source;
    this.#sources.set(name, owner);
    return owner;
  }

  /** Frees the destinations of a source that no longer exists. */
  release(source: string): void {
    for (const [name, owner] of this.#sources) {
      if (owner === source) this.#sources.delete(name);
    }
  }
}

/** Normalizes a path for comparison: macOS and Windows ignore case and Unicode normalization. */
function comparable(path: string): string {
  const ignoresCase = process.platform === 'win32' || process.platform === 'darwin';
  return ignoresCase ? path.normalize('NFC').toLowerCase() : path;
}
