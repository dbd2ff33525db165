import type { OptimizeOptions } from '../options.ts';
import { defaultCacheFolder } from './cache.ts';
import { type Optimized, Optimizer } from './optimizer.ts';
import { readWhole } from './state.ts';

export { type ErrorCode, OptimizeError, type StopReason } from '../errors.ts';
export { type OptimizeOptions, readOptions } from '../options.ts';
export type { KeptImage, SmallerImage } from './cache.ts';
export type { Optimized } from './optimizer.ts';
export {
  type FileResult,
  optimizeFiles,
  type RunEvent,
  type RunSettings,
  type Summary,
} from './run.ts';

export interface OptimizeSettings {
  /** Address of the service. Default: `FEWERBYTES_URL`. */
  readonly url?: string;
  /** An API key. Default: `FEWERBYTES_KEY`. */
  readonly key?: string;
  readonly options?: OptimizeOptions;
  /** Cache folder, or `false` for no cache. Default: in the user's cache folder. */
  readonly cache?: string | false;
  readonly signal?: AbortSignal;
}

/**
 * Makes one image smaller. Returns `kind: 'smaller'` with the new `bytes`, or `kind: 'kept'` with the `reason` why the
 * original is the best there is. Writes nothing but the cache.
 *
 * ```js
 * const image = await optimize('photo.jpg', { options: { format: 'webp', width: 800 } });
 * if (image.kind === 'smaller') await writeFile('photo.webp', image.bytes);
 * ```
 * @param source the image, or the path of a file
 * @throws OptimizeError
 * @throws RangeError if the address of the service is not a URL
 */
export async function optimize(
  source: Uint8Array | string,
  settings: OptimizeSettings = {},
): Promise<Optimized> {
  const { FEWERBYTES_URL = '', FEWERBYTES_KEY } = process.env;
  const { url = FEWERBYTES_URL, key = FEWERBYTES_KEY, options = {}, cache, signal } = settings;
  const folder = cache === false ? null : (cache ?? defaultCacheFolder());
  const bytes = typeof source === 'string' ? (await readWhole(source)).bytes : source;
  const optimizer = new Optimizer({ url, key, options, cache: folder });
  return optimizer.optimize(new Uint8Array(bytes), signal);
}
