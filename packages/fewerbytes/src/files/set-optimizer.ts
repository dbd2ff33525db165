import type { SetAnswer } from '../client/set-answer.ts';
import { OptimizeError } from '../errors.ts';
import { imageTypeOf } from '../images.ts';
import { optionsKey, type SetOptions } from '../options.ts';
import { Cache, type KeptImage, sha256 } from './cache.ts';
import type { OptimizerSettings } from './optimizer.ts';
import type { Workplace } from './workplace.ts';

interface SetOptimizerSettings extends Omit<OptimizerSettings, 'options'> {
  readonly set: SetOptions;
}

/** A set and where it came from. */
export type MadeSet = SetAnswer & { readonly isCached: boolean };

/** Makes sets of images with the same options: looks each one up in the cache first. */
export class SetOptimizer {
  readonly #workplace: Workplace;
  readonly #cache: Cache | null;
  readonly #set: SetOptions;
  readonly #optionsKey: string;
  /** Work in progress by cache key, so that images with equal content are worked on once. */
  readonly #pending = new Map<string, Promise<MadeSet>>();

  constructor({ workplace, cache, isCacheReadOnly, set }: SetOptimizerSettings) {
    this.#workplace = workplace;
    this.#cache = cache === null ? null : new Cache(cache, isCacheReadOnly);
    this.#set = set;
    this.#optionsKey = optionsKey(set);
  }

  /**
   * @throws OptimizeError
   * @throws the signal's reason when it is aborted
   */
  async optimize(bytes: Uint8Array<ArrayBuffer>, signal?: AbortSignal): Promise<MadeSet> {
    const key = this.#keyOf(bytes);
    const known = await this.known(bytes);
    if (known) return known;
    const pending = this.#pending.get(key);
    if (pending) return { ...(await pending), isCached: true };
    const work = this.#make(bytes, key, signal).finally(() => this.#pending.delete(key));
    this.#pending.set(key, work);
    return work;
  }

  /** Looks an image up in the cache, without any work. */
  async known(bytes: Uint8Array): Promise<MadeSet | null> {
    const set = await this.#cache?.getSet(this.#keyOf(bytes));
    return set ? { ...set, failed: [], quotaRemaining: null, isCached: true } : null;
  }

  /** Looks up whether an image is a result of a set itself, whatever the options of that were. */
  async result(bytes: Uint8Array): Promise<KeptImage | null> {
    const known = await this.#cache?.get(resultKeyOf(bytes));
    return known?.kind === 'kept' ? known : null;
  }

  async #make(
    bytes: Uint8Array<ArrayBuffer>,
    key: string,
    signal: AbortSignal | undefined,
  ): Promise<MadeSet> {
    if (imageTypeOf(bytes) === null) throw new OptimizeError('not_an_image');
    const made = await this.#workplace.optimizeSet(bytes, this.#set, signal);
    await this.#remember(bytes, key, made);
    return { ...made, isCached: false };
  }

  /** Caches a set if it is whole, and that its results are results. */
  async #remember(image: Uint8Array, key: string, made: SetAnswer): Promise<void> {
    for (const { bytes, type } of made.results) {
      // the image itself may be the best of its own size
      if (Buffer.from(bytes).equals(image)) continue;
      await this.#cache?.put(resultKeyOf(bytes), {
        ...{ kind: 'kept', reason: 'optimized-before', madeFrom: made.inputType },
        ...{ inputType: type, inputBytes: bytes.length, score: null },
      });
    }
    if (made.failed.length === 0) await this.#cache?.putSet(key, made);
  }

  #keyOf(bytes: Uint8Array): string {
    return Cache.key(sha256(bytes), this.#optionsKey, this.#workplace.origin);
  }

  /** Why sets could not be cached; null if they were. */
  get cacheError(): string | null {
    return this.#cache?.writeError ?? null;
  }
}

/** The key of the fact that an image is a result of a set, whoever has made it. */
function resultKeyOf(bytes: Uint8Array): string {
  return Cache.key(sha256(bytes), 'result of a set', '');
}
