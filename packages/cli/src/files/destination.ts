import { basename, dirname, join, resolve } from 'node:path';
import { OptimizeError } from '../errors.ts';
import { type MediaType, nameForType, typeOfFormat } from '../images.ts';
import type { FoundFile } from './find.ts';

/**
 * Where a result goes: in place under the name of the file that a link leads to; in an out folder under the path that
 * the file has below what was named. Another format gets its own extension.
 */
export function destinationOf(
  file: FoundFile,
  outFolder: string | null,
  inputType: string,
  type: string,
): string {
  const path = outFolder === null ? file.realPath : resolve(outFolder, file.relativePath);
  return join(dirname(path), nameForType(basename(path), inputType, type));
}

/** The media type that a result will have; null where that is for the service to choose. */
export function expectedType(format: string | undefined, inputType: MediaType): MediaType | null {
  if (format === undefined || format === 'keep') return inputType;
  return format === 'auto' ? null : typeOfFormat(format);
}

/** Which source each destination belongs to, so that no result overwrites another one, or a source. */
export class Destinations {
  readonly #sources = new Map<string, string>();

  /**
   * Takes a destination for a source.
   * @throws OptimizeError `name_collision` when another source has it
   */
  claim(destination: string, source: string): void {
    const owner = this.tryClaim(destination, source);
    if (owner === source) return;
    throw new OptimizeError('name_collision', {
      detail: `The result would have the name of another image’s, ${owner}: rename one of the two, or optimize them separately.`,
    });
  }

  /** Takes a destination for a source, unless another one has it. Returns who has it then. */
  tryClaim(destination: string, source: string): string {
    const name = comparable(destination);
    const owner = this.#sources.get(name) ?? source;
    this.#sources.set(name, owner);
    return owner;
  }

  /** Gives up what a source has that is no longer there. */
  release(source: string): void {
    for (const [name, owner] of this.#sources) {
      if (owner === source) this.#sources.delete(name);
    }
  }
}

/** A path so that two which are one file to the file system are equal. */
function comparable(path: string): string {
  const ignoresCase = process.platform === 'win32' || process.platform === 'darwin';
  return ignoresCase ? path.normalize('NFC').toLowerCase() : path;
}
