import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { loadEnv, type ResolvedConfig } from 'vite';
import type { RunSettings } from '../files/run.ts';
import { serviceIn, type WorkplaceSettings } from '../files/workplace.ts';
import { identity } from '../identity.ts';
import { checkOptions, checkSettings, type OptimizeOptions } from '../options.ts';

/** `FEWERBYTES_URL` and `FEWERBYTES_KEY` may also stand in Vite's `.env` files. */
export interface VitePluginSettings extends WorkplaceSettings {
  /** Options without `format`: images keep their names, and so their formats. */
  readonly options?: Omit<OptimizeOptions, 'format' | 'among'>;
  /** Whether to optimize images that Vite copies from its public folder, too. Default: true. */
  readonly publicFolder?: boolean;
  /** Whether to fail the build when an image could not be optimized or the service has no address or key. Default: false. */
  readonly required?: boolean;
  /**
   * File that declares the imports of pictures for TypeScript, relative to Vite's root, or `false` for none. Default:
   * `src/pictures.d.ts`, or `pictures.d.ts` where there is no folder `src`, if there is a `tsconfig.json` in the root.
   */
  readonly types?: string | false;
  /** Cache folder, or `false` for no cache. Default: in Vite's cache folder. */
  readonly cache?: string | false;
  /** Number of images processed in parallel. Default: that of the cores, or 4 if a service does the work. */
  readonly concurrency?: number;
}

const settingNames = {
  ...{ service: true, url: true, key: true, options: true, cache: true, concurrency: true },
  ...{ publicFolder: true, required: true, types: true },
};

/** @throws RangeError that names the first setting or option that is none or has no valid value */
export function checkPluginSettings(settings: VitePluginSettings): void {
  checkSettings(settings, settingNames);
  const { options = {} }: { readonly options?: OptimizeOptions } = settings;
  checkOptions(options);
  for (const name of ['format', 'among'] as const) {
    if (options[name] === undefined) continue;
    throw new RangeError(`"${name}" is not an option of a build: images keep names and formats.`);
  }
  const { types }: { readonly types?: unknown } = settings;
  if (types === undefined || types === false) return;
  if (typeof types === 'string' && types.endsWith('.d.ts')) return;
  throw new RangeError('"types" is the path of a file whose name ends with .d.ts, or false.');
}

/** @throws RangeError if a service is wanted without its address or key */
export function runSettings(
  settings: VitePluginSettings,
  { mode, envDir, cacheDir }: ResolvedConfig,
): RunSettings {
  const environment = envDir ? loadEnv(mode, envDir, 'FEWERBYTES_') : process.env;
  const service = serviceIn(settings, environment);
  const { options = {}, concurrency } = settings;
  return {
    service: service !== null,
    ...service,
    options,
    cache: settings.cache ?? join(cacheDir, identity.name),
    concurrency,
  };
}

/** Path of the file that declares the imports of pictures; null for none. */
export function declarationPath(
  { types }: VitePluginSettings,
  { root }: ResolvedConfig,
): string | null {
  if (types === false) return null;
  if (types !== undefined) return isAbsolute(types) ? types : resolve(root, types);
  if (!existsSync(join(root, 'tsconfig.json'))) return null;
  const source = join(root, 'src');
  return join(existsSync(source) ? source : root, 'pictures.d.ts');
}
