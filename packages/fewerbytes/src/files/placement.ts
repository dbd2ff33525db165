import type { Stats } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OptimizeError } from '../errors.ts';
import { type MediaType, typeOfName } from '../images.ts';
import { type Destinations, destinationOf, type ResultName } from './destination.ts';
import type { FoundFile } from './find.ts';
import { assertReplaceable, assertWritable, isUnchanged, realPathOf } from './state.ts';

/** A file that has been read. */
export interface Source {
  readonly file: FoundFile;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its stats from before it was read. */
  readonly before: Stats;
}

/** Tells of bytes whether they are an earlier result of these options: `madeFrom` is then the type of its image. */
export interface KnowsResults {
  known(bytes: Uint8Array): Promise<{ readonly kind: string; readonly madeFrom?: string } | null>;
}

/** Decides where the results of a run go, and which files they may replace. */
export class Placement {
  readonly #outFolder: string | null;
  readonly #destinations: Destinations;
  readonly #results: KnowsResults;

  /** @param outFolder real path of the out folder; null: in place */
  constructor(outFolder: string | null, destinations: Destinations, results: KnowsResults) {
    this.#outFolder = outFolder;
    this.#destinations = destinations;
    this.#results = results;
  }

  /**
   * The path of a result, with the links to folders in it resolved. A link to a file that has its name is replaced
   * itself, so that nothing outside of the out folder is.
   */
  async destination(file: FoundFile, inputType: string, result: ResultName): Promise<string> {
    const path = destinationOf(file, this.#outFolder, inputType, result);
    return this.#outFolder === null ? path : join(await realPathOf(dirname(path)), basename(path));
  }

  /**
   * Claims destinations before there is any work, in the order of names, so that if two results have the same name, it
   * is always the second image that fails. With `format=auto` and for misnamed files, collisions only show with the
   * result.
   * @param resultsOf names the results of an image of this type, as far as they are known
   */
  async claimAll(
    files: readonly FoundFile[],
    resultsOf: (inputType: MediaType) => readonly ResultName[],
  ): Promise<void> {
    if (this.#outFolder !== null) {
      // a result must not replace another source
      for (const { realPath } of files) this.#destinations.tryClaim(realPath, realPath);
    }
    for (const file of files) {
      const inputType = typeOfName(file.realPath);
      if (!inputType) continue;
      for (const result of resultsOf(inputType)) {
        const destination = await this.destination(file, inputType, result);
        if (destination !== file.realPath) this.#destinations.tryClaim(destination, file.realPath);
      }
    }
  }

  /**
   * Checks, before there is any work, whether a result of a type could be written to a destination. Returns `exists` if
   * it would replace a file that is neither the original in the same format nor an earlier result of these options.
   * @throws OptimizeError if the file or folder is read-only, or the destination belongs to another source
   */
  async refusal(
    source: Source,
    inputType: string,
    type: string,
    destination: string,
  ): Promise<'exists' | null> {
    const { file, bytes, before } = source;
    // a link to the image may be the very name by which it was found
    if ((await realPathOf(destination)) === file.realPath) {
      if (this.#outFolder === null) {
        // a PNG named `.webp` is in the way of its own WebP
        if (type !== inputType) return 'exists';
        await assertReplaceable(destination, before);
      } else if (!(await this.#isKept(bytes))) {
        const detail = 'The result would replace the image itself: name another out folder.';
        throw new OptimizeError('name_collision', { detail });
      }
    } else {
      await this.#claim(destination, file, inputType);
    }
    await assertWritable(dirname(destination));
    const isFree =
      this.#outFolder !== null ||
      destination === file.realPath ||
      (await this.#isFree(destination, inputType));
    return isFree ? null : 'exists';
  }

  /**
   * Checks right before a result is put in place that nobody has changed the source or created a file in its way.
   * @throws OptimizeError `changed_meanwhile` or `name_collision`
   */
  async assertUnchanged(source: Source, destination: string, inputType: string): Promise<void> {
    const { file, bytes, before } = source;
    if (!(await isUnchanged(file.realPath, before, bytes))) {
      throw new OptimizeError('changed_meanwhile');
    }
    if (destination === file.realPath) return;
    await this.#claim(destination, file, inputType);
    if (this.#outFolder === null && !(await this.#isFree(destination, inputType))) {
      throw new OptimizeError('changed_meanwhile', {
        detail:
          'A file with the name of the result has appeared meanwhile: rename it, and run this again.',
      });
    }
  }

  /** Claims a destination; one that is a source as well is free if it is an earlier result of these options. */
  async #claim(destination: string, { realPath }: FoundFile, inputType: string): Promise<void> {
    const owner = this.#destinations.tryClaim(destination, realPath);
    const isOwnResult = owner === destination && (await this.#isFree(destination, inputType));
    if (!isOwnResult) this.#destinations.claim(destination, realPath);
  }

  /** Whether a path may be written to: there is no file, or an earlier result of these options. */
  async #isFree(path: string, inputType: string): Promise<boolean> {
    try {
      const known = await this.#results.known(new Uint8Array(await readFile(path)));
      return known?.kind === 'kept' && known.madeFrom === inputType;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT';
    }
  }

  /** Whether an image is known to stay as it is. */
  async #isKept(bytes: Uint8Array): Promise<boolean> {
    return (await this.#results.known(bytes))?.kind === 'kept';
  }
}
