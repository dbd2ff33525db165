import { pictureSources, type ShownFile, type SourceSet } from '../../../../src/image/markup.ts';
import { ImageError } from '../engine/index.ts';
import { OptimizeError, readError } from '../errors.ts';
import { type RunSettings, toolsFor } from '../files/run.ts';
import { type MadeSet, SetOptimizer } from '../files/set-optimizer.ts';
import type { Workplace } from '../files/workplace.ts';
import { optionsKey, type SetOptions } from '../options.ts';

export type { MadeSet };

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

/** Threads that have had nothing to do for this long are ended, in milliseconds. */
const idleTime = 5000;

type Read = () => Promise<Uint8Array<ArrayBuffer>>;

/** What pictures are made with. */
interface Tools {
  readonly workplace: Workplace;
  readonly concurrency: number;
  /** Folder; null for none. */
  readonly cache: string | null;
  /** By the keys of their options. */
  readonly optimizers: Map<string, SetOptimizer>;
}

/** Makes pictures, so many at a time as the settings say, unless they are in the cache. */
export class PictureWork {
  readonly #settings: () => RunSettings;
  #tools: Tools | null = null;
  #running = 0;
  /** Those that wait for their turns. */
  readonly #waiting: (() => void)[] = [];
  #closing: NodeJS.Timeout | undefined;

  /** @param settings asked for when there is work, and again after a pause */
  constructor(settings: () => RunSettings) {
    this.#settings = settings;
  }

  /**
   * @param read gets the image when its turn comes
   * @throws OptimizeError if there is no result at all; what `read` throws; RangeError if the settings make no sense
   */
  make(read: Read, set: SetOptions): Promise<MadeSet> {
    return this.#inTurn(async (tools) => optimizerFor(set, tools).optimize(await read()));
  }

  /**
   * Makes one file of a set, unless the whole set is in the cache. Its placeholder is the same, but for rounding.
   * @param only width of its box, and format
   * @throws as `make`
   */
  makeOne(
    read: Read,
    set: SetOptions,
    only: Pick<SetOptions, 'widths' | 'formats'>,
  ): Promise<MadeSet> {
    return this.#inTurn(async (tools) => {
      const bytes = await read();
      const whole = await optimizerFor(set, tools).known(bytes);
      return whole ?? optimizerFor({ ...set, ...only }, tools).optimize(bytes);
    });
  }

  async #inTurn<Made>(work: (tools: Tools) => Promise<Made>): Promise<Made> {
    clearTimeout(this.#closing);
    this.#tools ??= this.#opened();
    const tools = this.#tools;
    if (this.#running < tools.concurrency) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work(tools);
    } finally {
      this.#leave();
    }
  }

  #opened(): Tools {
    const settings = this.#settings();
    const { optimizer, workplace, concurrency } = toolsFor(settings);
    void optimizer.prune();
    const cache = settings.cache || null;
    return { workplace, concurrency, cache, optimizers: new Map() };
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
    void this.#tools?.workplace.close?.();
    this.#tools = null;
  }
}

function optimizerFor(set: SetOptions, { workplace, cache, optimizers }: Tools): SetOptimizer {
  const key = optionsKey(set);
  const optimizer = optimizers.get(key) ?? new SetOptimizer({ workplace, cache, set });
  optimizers.set(key, optimizer);
  return optimizer;
}

/** Why there is no picture, and what to do, in sentences. */
export function causeOf(error: unknown): string {
  if (error instanceof ImageError) return error.detail;
  if (!(error instanceof Error)) return String(error);
  const isOfSystem = (error as NodeJS.ErrnoException).syscall !== undefined;
  return isOfSystem && !(error instanceof OptimizeError) ? readError(error).message : error.message;
}
