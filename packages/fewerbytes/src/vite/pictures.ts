import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { isFileServingAllowed, type Plugin, type ResolvedConfig } from 'vite';
import { bytesText } from '../command/texts.ts';
import { sha256 } from '../files/cache.ts';
import { identity } from '../identity.ts';
import { formatName, nameInSet } from '../images.ts';
import { Declarations } from './declarations.ts';
import { pictureImportOf, picturePattern } from './picture-query.ts';
import { PictureServer } from './picture-server.ts';
import { causeOf, type MadeSet, type Picture, PictureWork, pictureOf } from './picture-work.ts';
import { declarationPath, runSettings, type VitePluginSettings } from './settings.ts';

/** Adds a file to a build. @returns what stands for its URL */
type Emit = (name: string, source: Uint8Array) => string;

/**
 * Answers imports such as `./photo.jpg?widths=400,800&formats=avif,webp` with a `Picture`. In a build, its files become
 * assets; on the development server, they are made when they are asked for.
 * @param results receives the SHA-256 of each asset: they are as small as they were asked to be
 */
export function pictureImports(settings: VitePluginSettings, results: Set<string>): Plugin {
  let config: ResolvedConfig;
  let server: PictureServer | null = null;
  let declarations: Declarations | null = null;
  const work = new PictureWork(() => runSettings(settings, config));
  /** The pictures since the last report. */
  const done: MadeSet[] = [];
  return {
    name: `${identity.name}:pictures`,
    // Otherwise Vite would answer first.
    enforce: 'pre',
    configResolved(resolved) {
      config = resolved;
      const path = declarationPath(settings, resolved);
      declarations = path === null ? null : new Declarations(path);
    },
    configureServer(started) {
      server = new PictureServer(started, work);
    },
    load: {
      filter: { id: picturePattern },
      async handler(id) {
        const shown = relative(config.root, id);
        try {
          const found = pictureImportOf(id, settings.options ?? {});
          if (!found) return null;
          const path = sourceOf(found.path, config);
          this.addWatchFile(path);
          const read = async () => new Uint8Array(await readFile(path));
          let picture: Picture;
          if (server) {
            if (this.environment.config.consumer === 'client') refuseForeign(path, config);
            picture = await server.picture(path, await read(), found.set);
          } else {
            const made = await work.make(read, found.set);
            const failures = failuresText(made);
            if (failures !== '' && settings.required) throw new RangeError(failures);
            if (failures !== '') this.warn({ id, message: `${shown}: ${failures}` });
            done.push(made);
            picture = emitted(made, path, (name, source) => {
              results.add(sha256(source));
              return assetUrl(this.emitFile({ type: 'asset', name, source }));
            });
          }
          await declarations?.add(found.query);
          const code = `export default ${JSON.stringify(picture)};`;
          return { code, map: { mappings: '' }, moduleType: 'js' };
        } catch (error) {
          return this.error({ id, message: `${shown}: ${causeOf(error)}` });
        }
      },
    },
    writeBundle: {
      order: 'post',
      sequential: true,
      handler() {
        const pictures = done.splice(0);
        if (pictures.length > 0) config.logger.info(`${identity.name}: ${totalText(pictures)}`);
      },
    },
  };
}

/** The file of an image, which may be in the public folder. */
function sourceOf(path: string, { publicDir }: ResolvedConfig): string {
  const ofPublic = publicDir && path.startsWith('/') ? join(publicDir, path) : '';
  return !existsSync(path) && existsSync(ofPublic) ? ofPublic : path;
}

/**
 * Anyone who can reach the development server can ask for any path, with the query of a picture as well.
 * @throws RangeError if Vite does not serve this file
 */
function refuseForeign(path: string, config: ResolvedConfig): void {
  // Vite 6.0 has nothing newer.
  if (isFileServingAllowed(config, path)) return;
  throw new RangeError('The file is outside of the folders in "server.fs.allow".');
}

/**
 * Stands for the URL of an asset in a string between double quotes. Unlike `import.meta.ROLLUP_FILE_URL_…`, which is
 * relative to a chunk, Vite replaces it by what `base` and `renderBuiltUrl` say, on servers as well.
 */
function assetUrl(reference: string): string {
  return `__VITE_ASSET__${reference}__`;
}

function emitted({ results, placeholder }: MadeSet, path: string, emit: Emit): Picture {
  const files = results.map(({ bytes, boxWidth, type, width, height }) => ({
    url: emit(nameInSet(basename(path), boxWidth, type), bytes),
    ...{ mediaType: type, width, height },
  }));
  return pictureOf(files, placeholder);
}

/** What could not be made, in a sentence for each; empty if all has been. */
function failuresText({ failed }: MadeSet): string {
  return failed
    .map(
      ({ width, type, error }) => `${width} pixels wide as ${formatName(type)}: ${causeOf(error)}`,
    )
    .join(' ');
}

function totalText(pictures: readonly MadeSet[]): string {
  const files = pictures.flatMap(({ results }) => results);
  const bytes = files.reduce((total, file) => total + file.bytes.length, 0);
  const known = pictures.filter(({ isCached }) => isCached).length;
  const [noun, total] = [pictures.length === 1 ? 'picture' : 'pictures', bytesText(bytes)];
  return `${pictures.length} ${noun} in ${files.length} files, ${total}, ${known} known from the cache.`;
}
