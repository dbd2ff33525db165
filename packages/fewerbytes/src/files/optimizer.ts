import { OptimizeError } from '../errors.ts';
import { imageTypeOf } from '../images.ts';
import { type OptimizeOptions, optionsKey } from '../options.ts';
import { Cache, type KeptImage, type Outcome, type SmallerImage, sha256 } from './cache.ts';
import type { Workplace } from './workplace.ts';

export interface OptimizerSettings {
  readonly workplace: Workplace;
  readonly options: OptimizeOptions;
  /** Cache folder; null for no cache. */
  readonly cache: string | null;
  /** Whether the cache is only read. Default: false. */
  readonly isCacheReadOnly?: boolean;
}

/** An outcome and where it came from. */
export type Optimized = (SmallerImage | KeptImage) & {
  readonly isCached: boolean;
  /** Files left on the account; null if no service was asked. */
  readonly quotaRemaining: number | null;
};

/** Optimizes images with one set of options: looks each one up in the cache first. */
export class Optimizer {
  readonly #workplace: Workplace;
  readonly #cache: Cache | null;
  readonly #options: OptimizeOptions;
  readonly #optionsKey: string;
  /** Work in progress by cache key, so that images with equal content are worked on once. */
  readonly #pending = new Map<string, Promise<Optimized>>();

  constructor(settings: OptimizerSettings) {
    const { workplace, cache, isCacheReadOnly } = settings;
    this.#workplace = workplace;
    this.#cache = cache === null ? null : new Cache(cache, isCacheReadOnly);
    this.#options = settings.options;
    this.#optionsKey = optionsKey(settings.options);
  }

  /**
   * Returns a smaller image, or that there is none; never a larger one.
   * @throws OptimizeError
   * @throws the signal's reason when it is aborted
   */
  async optimize(bytes: Uint8Array<ArrayBuffer>, signal?: AbortSignal): Promise<Optimized> {
    const key = this.#keyOf(sha256(bytes));
    const known = await this.#known(key);
    if (known) return known;
    const pending = this.#pending.get(key);
    if (pending) return { ...(await pending), isCached: true };
    const work = this.#make(bytes, key, signal).finally(() => this.#pending.delete(key));
    this.#pending.set(key, work);
    return work;
  }

  /** Looks an image up in the cache, without any work. */
  known(bytes: Uint8Array): Promise<Optimized | null> {
    return this.#known(this.#keyOf(sha256(bytes)));
  }

  async #known(key: string): Promise<Optimized | null> {
    const outcome = await this.#cache?.get(key);
    return outcome ? { ...outcome, isCached: true, quotaRemaining: null } : null;
  }

  async #make(
    bytes: Uint8Array<ArrayBuffer>,
    key: string,
    signal: AbortSignal | undefined,
  ): Promise<Optimized> {
    if (imageTypeOf(bytes) === null) throw new OptimizeError('not_an_image');
    const {
      quotaRemaining,
      reason,
      requestId: _,
      ...answer
    } = await this.#workplace.optimize(bytes, this.#options, signal);
    const inputBytes = bytes.length;
    const { inputType, score, placeholder } = answer;
    // less than 1% is called no gain, and the service does not charge for it, but the result is smaller all the same
    const outcome: Outcome =
      answer.bytes.length < inputBytes
        ? { kind: 'smaller', inputBytes, ...answer }
        : {
            kind: 'kept',
            reason: reason ?? 'already-optimal',
            ...{ inputType, inputBytes, score },
            // a result of another size is not used
            placeholder: reason === 'larger-format' ? null : placeholder,
          };
    await this.#remember(key, outcome);
    return { ...outcome, isCached: false, quotaRemaining };
  }

  /** Caches the outcome, and the result itself as already optimized, so that a second run does nothing. */
  async #remember(key: string, outcome: Outcome): Promise<void> {
    if (outcome.kind === 'smaller') {
      const { bytes, type, placeholder = null } = outcome;
      const facts = { inputType: type, inputBytes: bytes.length, score: null, placeholder };
      const madeFrom = outcome.inputType;
      const own: KeptImage = { kind: 'kept', reason: 'optimized-before', madeFrom, ...facts };
      await this.#cache?.put(this.#keyOf(sha256(bytes)), own);
    }
    await this.#cache?.put(key, outcome);
  }

  #keyOf(content: string): string {
    return Cache.key(content, this.#optionsKey, this.#workplace.origin);
  }

  /** Why outcomes could not be cached; null if they were. */
  get cacheError(): string | null {
    return this.#cache?.writeError ?? null;
  }

  /** Removes old cache entries. */
  async prune(): Promise<void> {
    await this.#cache?.prune();
  }
}
