import { availableParallelism } from 'node:os';
import { pictureSources, type ShownFile, type SourceSet } from '../../../../src/image/markup.ts';
import { ImageError, type ImageSet, type SetOptions } from '../engine/index.ts';
import { OptimizeError, readError } from '../errors.ts';
import type { RunSettings } from '../files/run.ts';
import { Threads } from '../files/threads.ts';

/** What an import such as `./photo.jpg?widths=400,800&formats=avif,webp` gives. */
export interface Picture {
  /** For the `<img>`: the widest file of the format that most browsers know. */
  readonly src: string;
  /** For the `<img>`: the files of that format, by width. */
  readonly srcset: string;
  /** Size of `src` in pixels. */
  readonly width: number;
  readonly height: number;
  /** The ThumbHash of the picture in base64; null unless the query has `placeholder=thumbhash`. */
  readonly placeholder: string | null;
  /** For a `<source>` each: the other formats, those first that take the fewest bytes. */
  readonly sources: readonly SourceSet[];
}

/** @param files at least one */
export function pictureOf(files: readonly ShownFile[], placeholder: string | null): Picture {
  const { sources, img } = pictureSources(files);
  const { url, srcset, width, height } = img;
  return { src: url, srcset, width, height, placeholder, sources };
}

/** A set, and whether there was no work on it. */
export type MadeSet = ImageSet & { readonly isCached: boolean };

/** Threads that have had nothing to do for this long are ended, in milliseconds. */
const idleTime = 5000;

/** Makes pictures, so many at a time as the settings say. */
export class PictureWork {
  readonly #settings: () => RunSettings;
  #threads: Threads | null = null;
  #running = 0;
  /** Those that wait for their turns. */
  readonly #waiting: (() => void)[] = [];
  #closing: NodeJS.Timeout | undefined;

  /** @param settings asked for when there is work, and again after each pause */
  constructor(settings: () => RunSettings) {
    this.#settings = settings;
  }

  /**
   * @param read gets the image when its turn comes
   * @throws ImageError if there is no result at all; what `read` throws
   */
  async make(read: () => Promise<Uint8Array<ArrayBuffer>>, set: SetOptions): Promise<MadeSet> {
    clearTimeout(this.#closing);
    const { concurrency = availableParallelism() } = this.#settings();
    this.#threads ??= new Threads(concurrency);
    const threads = this.#threads;
    if (this.#running < concurrency) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      const made = await threads.optimizeSet(await read(), set, {});
      return { ...made, isCached: false };
    } finally {
      this.#leave();
    }
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) {
      next();
      return;
    }
    this.#running -= 1;
    if (this.#running === 0) this.#closing = setTimeout(() => this.#close(), idleTime).unref();
  }

  #close(): void {
    void this.#threads?.close();
    this.#threads = null;
  }
}

/** Why there is no picture, and what to do, in sentences. */
export function causeOf(error: unknown): string {
  if (error instanceof ImageError) return error.detail;
  if (!(error instanceof Error)) return String(error);
  const isOfSystem = (error as NodeJS.ErrnoException).syscall !== undefined;
  return isOfSystem && !(error instanceof OptimizeError) ? readError(error).message : error.message;
}
