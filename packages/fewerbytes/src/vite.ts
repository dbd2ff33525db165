import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadEnv, type Plugin, type ResolvedConfig, type UserConfig } from 'vite';
import { serviceUrl } from './client/client.ts';
import { bytesText, savedText } from './command/texts.ts';
import { findFiles } from './files/find.ts';
import { optimizeFiles, type RunSettings, type Summary } from './files/run.ts';
import { identity } from './identity.ts';
import { hasImageExtension } from './images.ts';
import type { OptimizeOptions } from './options.ts';

export interface VitePluginSettings {
  /** Address of the service. Default: `FEWERBYTES_URL` from the environment or Vite's `.env` files. */
  readonly url?: string;
  /** An API key. Default: `FEWERBYTES_KEY` from the environment or Vite's `.env` files. */
  readonly key?: string;
  /** Options of the service, without `format`: images keep their names, and so their formats. */
  readonly options?: Omit<OptimizeOptions, 'format'>;
  /** Whether to optimize images that Vite copies from its public folder, too. Default: true. */
  readonly publicFolder?: boolean;
  /** Whether to fail the build when an image could not be optimized or there is no key. Default: false. */
  readonly required?: boolean;
  /** Cache folder, or `false` for no cache. Default: in Vite's cache folder. */
  readonly cache?: string | false;
  /** Number of images processed in parallel. Default: 4. */
  readonly concurrency?: number;
}

/** Whether this process has already warned about the settings: a build may consist of several. */
let hasWarned = false;

/**
 * Optimizes the images of a build after they are written: those that the bundle emits and those from the public folder.
 * Images that Vite inlines into scripts and styles are not touched, and none are in `vite serve`. Pages that import the
 * package themselves get the settings that it needs.
 *
 * ```js
 * export default { plugins: [optimizeImages({ options: { target: 'high' } })] };
 * ```
 */
export function optimizeImages(settings: VitePluginSettings = {}): Plugin {
  let config: ResolvedConfig;
  /** Output folders whose copies of the public folder were already optimized during this build. */
  const finished = new Set<string>();
  return {
    name: identity.name,
    config: (given) => settingsForPages(given),
    configResolved(resolved) {
      config = resolved;
    },
    buildStart() {
      finished.clear();
    },
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler(output, bundle) {
        if (config.command !== 'build') return;
        const folder = output.dir ?? resolve(config.root, config.build.outDir);
        const emitted = Object.keys(bundle).filter(hasImageExtension);
        const isFirst = !finished.has(folder);
        finished.add(folder);
        const copied =
          isFirst && settings.publicFolder !== false ? await publicImages(config, folder) : [];
        const files = [...new Set([...emitted, ...copied])]
          .map((name) => join(folder, name))
          .filter((path) => existsSync(path));
        if (files.length === 0) return;
        const run = runSettings(settings, config, folder);
        const problem = problemOf(run);
        if (problem) {
          const text = `${identity.name}: images are left as they are. ${problem}`;
          if (settings.required) this.error(text);
          if (!hasWarned) config.logger.warn(text);
          hasWarned = true;
          return;
        }
        const summary = await optimizeFiles(files, run);
        config.logger.info(`${identity.name}: ${totalText(summary)}`);
        const failures = failuresText(summary);
        if (failures === '') return;
        if (settings.required) this.error(failures);
        config.logger.warn(failures);
      },
    },
  };
}

function runSettings(
  settings: VitePluginSettings,
  { mode, envDir, cacheDir }: ResolvedConfig,
  folder: string,
): RunSettings {
  const { FEWERBYTES_URL = '', FEWERBYTES_KEY } = envDir
    ? loadEnv(mode, envDir, 'FEWERBYTES_')
    : process.env;
  const { url = FEWERBYTES_URL, key = FEWERBYTES_KEY, options = {}, concurrency } = settings;
  return {
    url,
    key,
    options,
    cache: settings.cache ?? join(cacheDir, identity.name),
    cwd: folder,
    ...(concurrency !== undefined && { concurrency }),
  };
}

/**
 * What pages need that import the package: workers that load the code of a format when they need it, and a development
 * server that leaves the package in its folder, where its `.wasm` files are.
 */
function settingsForPages({ worker, optimizeDeps }: UserConfig): UserConfig {
  const isIncluded = optimizeDeps?.include?.some((name) => name.startsWith(identity.name));
  return {
    ...(worker?.format === undefined && { worker: { format: 'es' } }),
    ...(!isIncluded && { optimizeDeps: { exclude: [identity.name] } }),
  };
}

/** Why no image can be sent; null if nothing is in the way. */
function problemOf({ url, key }: RunSettings): string | null {
  if (!url || !key) return 'Set FEWERBYTES_URL and FEWERBYTES_KEY to optimize them.';
  try {
    serviceUrl(url);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Images in the public folder, as relative paths; Vite copies them to the same paths in the output folder. */
async function publicImages(
  { publicDir, build }: ResolvedConfig,
  outFolder: string,
): Promise<string[]> {
  if (!publicDir || !build.copyPublicDir || !existsSync(publicDir)) return [];
  // what several links lead to is copied under each name
  const { files } = await findFiles([publicDir], { cwd: publicDir, outFolder });
  return files.map(({ relativePath }) => relativePath);
}

function totalText({ files, inputBytes, outputBytes, requests }: Summary): string {
  const saved = savedText(inputBytes, outputBytes);
  const sizes = `${bytesText(inputBytes)} → ${bytesText(outputBytes)}`;
  return `${files.length} images, ${sizes}${saved && ` (${saved})`}, ${requests} requests sent.`;
}

/** One line per failed image; empty if there are none. */
function failuresText({ files }: Summary): string {
  return files
    .flatMap(({ path, error }) =>
      error ? [`${identity.name}: ${path}: ${error.code}: ${error.message}`] : [],
    )
    .join('\n');
}
