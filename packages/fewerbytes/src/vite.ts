import { existsSync } from 'node:fs';
import { chmod, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Plugin, ResolvedConfig, UserConfig } from 'vite';
import { bytesText, savedText } from './command/texts.ts';
import { OptimizeError } from './errors.ts';
import { sha256 } from './files/cache.ts';
import { findFiles } from './files/find.ts';
import type { FileResult } from './files/report.ts';
import { atATime, optimizeFiles, type RunSettings, toolsFor } from './files/run.ts';
import { identity } from './identity.ts';
import { hasImageExtension } from './images.ts';
import { pictureImports } from './vite/pictures.ts';
import { checkPluginSettings, runSettings, type VitePluginSettings } from './vite/settings.ts';

export type { Picture } from './vite/picture-work.ts';
export type { VitePluginSettings } from './vite/settings.ts';

/** What has become of an image. */
type Done = Pick<FileResult, 'path' | 'inputBytes' | 'outputBytes' | 'isCached' | 'error'>;

/** The images of a bundle or of a folder, and the requests that they took; null if no service did the work. */
interface Images {
  readonly files: readonly Done[];
  readonly requests: number | null;
  /** Whether they are those of the public folder, which Vite does not list. */
  readonly isPublic?: boolean;
}

type Bundle = Parameters<Extract<Plugin['generateBundle'], (...args: never) => unknown>>[1];

/** Whether this process has already warned about the settings: a build may consist of several. */
let hasWarned = false;

/**
 * Optimizes the images of a build: those that the bundle emits, before they are written, and those that Vite has copied
 * from the public folder. Does nothing to them in `vite serve`. Images that Vite inlines into scripts and styles are not
 * touched. An import such as `./photo.jpg?widths=400,800&formats=avif,webp` gives a `Picture`, in `vite serve` as well.
 *
 * ```js
 * export default { plugins: [optimizeImages({ options: { target: 'high' } })] };
 * ```
 * @throws RangeError that names the first setting or option that is none or has no valid value
 */
export function optimizeImages(settings: VitePluginSettings = {}): Plugin[] {
  checkPluginSettings(settings);
  const results = new Set<string>();
  return [pictureImports(settings, results), imagesOfBuild(settings, results)];
}

/** @param results SHA-256 of images that are results already */
function imagesOfBuild(settings: VitePluginSettings, results: ReadonlySet<string>): Plugin {
  let config: ResolvedConfig;
  /** Output folders whose copies of the public folder were already optimized during this build. */
  const finished = new Set<string>();
  /** What has been optimized since the last report. */
  const done: Images[] = [];
  /** Optimizes, unless the service has no address or key, which fails the build only if images are required. */
  const attempt = async (
    work: (run: RunSettings) => Promise<Images>,
    fail: (text: string) => never,
  ): Promise<void> => {
    try {
      done.push(await work(runSettings(settings, config)));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const text = `${identity.name}: images are left as they are. ${error.message}`;
      if (settings.required) fail(text);
      if (!hasWarned) config.logger.warn(text);
      hasWarned = true;
    }
  };
  return {
    name: identity.name,
    config: (given) => settingsForPages(given),
    configResolved(resolved) {
      config = resolved;
    },
    buildStart() {
      finished.clear();
    },
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const names = Object.keys(bundle).filter(
          (name) => hasImageExtension(name) && !results.has(hashOf(bundle[name])),
        );
        if (names.length === 0) return;
        await attempt(
          (run) => optimizeBundle(bundle, names, run),
          (text) => this.error(text),
        );
      },
    },
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler(output, bundle) {
        if (config.command !== 'build') return;
        const folder = output.dir ?? resolve(config.root, config.build.outDir);
        const isWanted = settings.publicFolder !== false && !finished.has(folder);
        finished.add(folder);
        const names = isWanted ? await publicImages(config, folder) : [];
        const paths = names
          .filter((name) => bundle[name] === undefined)
          .map((name) => join(folder, name));
        if (paths.length > 0) {
          await attempt(
            async (run) => {
              // a copy has the mode of its original, even if nobody may write to that
              for (const path of paths) await makeWritable(path);
              const summary = await optimizeFiles(paths, { ...run, inPlace: true, cwd: folder });
              return { ...summary, isPublic: true };
            },
            (text) => this.error(text),
          );
        }
        const images = done.splice(0);
        if (images.length === 0) return;
        config.logger.info(`${identity.name}: ${totalText(images)}`);
        const failures = failuresText(images);
        if (failures === '') return;
        if (settings.required) this.error(failures);
        config.logger.warn(failures);
      },
    },
  };
}

/** SHA-256 of an asset; empty for what is none. */
function hashOf(file: Bundle[string] | undefined): string {
  return file?.type === 'asset' ? sha256(file.source) : '';
}

/**
 * Puts results into the place of the images of a bundle, so that Vite writes and reports these.
 * @throws RangeError if the settings make no sense
 */
async function optimizeBundle(
  bundle: Bundle,
  names: readonly string[],
  settings: RunSettings,
): Promise<Images> {
  const { optimizer, workplace, concurrency } = toolsFor(settings);
  const files: Done[] = [];
  try {
    await optimizer.prune();
    await atATime(concurrency, names, async (path) => {
      const asset = bundle[path];
      if (asset?.type !== 'asset' || typeof asset.source === 'string') return;
      const bytes = new Uint8Array(asset.source);
      const blank = { path, inputBytes: bytes.length, outputBytes: bytes.length };
      try {
        const made = await optimizer.optimize(bytes);
        const { isCached } = made;
        if (made.kind === 'smaller') asset.source = made.bytes;
        files.push({ ...blank, outputBytes: asset.source.length, isCached, error: null });
      } catch (error) {
        if (!(error instanceof OptimizeError)) throw error;
        files.push({ ...blank, isCached: false, error });
      }
    });
    return { files, requests: workplace.sent };
  } finally {
    await workplace.close?.();
  }
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

/**
 * Images in the public folder that Vite has copied to the output folder, as relative paths, which are the same in both.
 */
async function publicImages(
  { publicDir, build }: ResolvedConfig,
  outFolder: string,
): Promise<string[]> {
  if (!publicDir || !build.copyPublicDir || !existsSync(publicDir)) return [];
  // what several links lead to is copied under each name
  const { files } = await findFiles([publicDir], { cwd: publicDir, outFolder });
  const originals = new Set(files.map(({ realPath }) => realPath));
  const names: string[] = [];
  for (const { relativePath } of files) {
    const copy = await realpath(join(outFolder, relativePath)).catch(() => null);
    // the output folder may be the public folder itself, or have links into it
    if (copy !== null && !originals.has(copy)) names.push(relativePath);
  }
  return names;
}

/** Lets the owner of a file write to it; where that is not possible, the file is reported as read-only later. */
async function makeWritable(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o200) === 0) await chmod(path, mode | 0o200).catch(() => {});
}

function totalText(images: readonly Images[]): string {
  const files = images.flatMap((each) => each.files);
  const sum = (bytes: 'inputBytes' | 'outputBytes') =>
    files.reduce((total, file) => total + file[bytes], 0);
  const [before, after] = [sum('inputBytes'), sum('outputBytes')];
  const saved = savedText(before, after);
  const sizes = `${bytesText(before)} → ${bytesText(after)}${saved && ` (${saved})`}`;
  const copied = images.flatMap((each) => (each.isPublic ? each.files : [])).length;
  const ofPublic = copied > 0 ? ` (${copied} from the public folder, not listed above)` : '';
  const known = files.filter(({ isCached }) => isCached).length;
  const isLocal = images.every(({ requests }) => requests === null);
  const requests = images.reduce((total, each) => total + (each.requests ?? 0), 0);
  const sent = isLocal ? '' : `${requests} requests sent, `;
  return `${files.length} images${ofPublic}, ${sizes}, ${sent}${known} known from the cache.`;
}

/** One line per failed image; empty if there are none. */
function failuresText(images: readonly Images[]): string {
  return images
    .flatMap(({ files }) => files)
    .flatMap(({ path, error }) =>
      error ? [`${identity.name}: ${path}: ${error.code}: ${error.message}`] : [],
    )
    .join('\n');
}
