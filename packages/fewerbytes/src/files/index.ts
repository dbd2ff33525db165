import { availableParallelism } from 'node:os';
import { bytesOf, type ImageSource } from '../images.ts';
import { checkOptions, checkSettings, type OptimizeOptions } from '../options.ts';
import { defaultCacheFolder } from './cache.ts';
import { type Optimized, Optimizer } from './optimizer.ts';
import { readWhole } from './state.ts';
import { serviceIn, ThisMachine, type WorkplaceSettings, workplaceFor } from './workplace.ts';

export { type ErrorCode, OptimizeError, type StopReason } from '../errors.ts';
export type { ImageSource } from '../images.ts';
export { type OptimizeOptions, readOptions, type SetOptions } from '../options.ts';
export type { KeptImage, SmallerImage } from './cache.ts';
export type { Optimized } from './optimizer.ts';
export type { FileResult, RunEvent, SetFileResult, SetReport, Summary } from './report.ts';
export { optimizeFiles, type RunSettings } from './run.ts';

export interface OptimizeSettings extends WorkplaceSettings {
  readonly options?: OptimizeOptions;
  /** Cache folder, or `false` for no cache. Default: in the user's cache folder. */
  readonly cache?: string | false;
  readonly signal?: AbortSignal;
}

const settingNames = {
  ...{ service: true, url: true, key: true },
  ...{ options: true, cache: true, signal: true },
};

/**
 * Makes one image smaller, in a thread of this process unless the settings name a service. Returns `kind: 'smaller'` with the new `bytes`, or `kind: 'kept'` with the `reason` why the
 * original is the best there is. Writes nothing but the cache.
 *
 * ```js
 * const image = await optimize('photo.jpg', { options: { format: 'webp', width: 800 } });
 * if (image.kind === 'smaller') await writeFile('photo.webp', image.bytes);
 * ```
 * @param source the image, or the path of a file
 * @throws OptimizeError; TypeError if it is neither
 * @throws RangeError if the settings make no sense, such as an address of the service that is no URL
 */
export async function optimize(
  source: ImageSource | string,
  settings: OptimizeSettings = {},
): Promise<Optimized> {
  checkSettings(settings, settingNames);
  const { options = {}, cache, signal } = settings;
  checkOptions(options);
  const service = serviceIn(settings);
  const folder = cache === false ? null : (cache ?? defaultCacheFolder());
  const bytes =
    typeof source === 'string' ? (await readWhole(source)).bytes : (await bytesOf(source)).slice();
  const workplace = service ? workplaceFor(service, 1) : threads();
  const optimizer = new Optimizer({ workplace, options, cache: folder });
  void optimizer.prune();
  return optimizer.optimize(bytes, signal);
}

let shared: ThisMachine | null = null;

/**
 * Those of all calls of `optimize`. Threads that have nothing to do keep no process alive, so that nobody has to close
 * them.
 */
function threads(): ThisMachine {
  shared ??= new ThisMachine(availableParallelism());
  return shared;
}
