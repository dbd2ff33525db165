import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, relative } from 'node:path';
import type { ViteDevServer } from 'vite';
import { itemsOf, readSetOptions, resizeTarget } from '../../../../src/image/engine.ts';
import { factsOf } from '../../../../src/image/formats/facts.ts';
import { pictureSources } from '../../../../src/image/markup.ts';
import { inspect } from '../engine/index.ts';
import { OptimizeError } from '../errors.ts';
import { sha256 } from '../files/cache.ts';
import { identity } from '../identity.ts';
import { nameInSet } from '../images.ts';
import { optionsKey, type SetOptions } from '../options.ts';
import { causeOf, type Picture, type PictureWork, pictureOf } from './picture-work.ts';

// Pictures on the development server: sizes and addresses are known from headers, so that modules are there at once. Each
// file is made when a browser asks for it, which takes only those that the page shows.

/** A file that can be asked for. */
interface ServedFile {
  readonly path: string;
  /** SHA-256 of the image of which it is made. */
  readonly content: string;
  /** The set to which it belongs. */
  readonly set: SetOptions;
  /** Width of its box, and format. */
  readonly only: { readonly widths: readonly [number]; readonly formats: SetOptions['formats'] };
  readonly mediaType: string;
}

export class PictureServer {
  readonly #server: ViteDevServer;
  readonly #work: PictureWork;
  /** By the paths of URLs, base included. */
  readonly #files = new Map<string, ServedFile & { readonly etag: string }>();
  /** Path below which all of them are, as Vite has `/@fs/` and `/@id/`. */
  readonly #prefix: string;

  constructor(server: ViteDevServer, work: PictureWork) {
    this.#server = server;
    this.#work = work;
    this.#prefix = `${server.config.base}@${identity.name}/`;
    server.middlewares.use((request, response, next) => {
      const path = pathOf(request);
      if (!path.startsWith(this.#prefix)) return next();
      this.#answer(path, request, response).catch(next);
    });
  }

  /**
   * Makes files of a picture known, so that they can be asked for. Only its placeholder takes work.
   * @throws ImageError if the image is none, or damaged in its headers; OptimizeError if there is no placeholder
   */
  async picture(path: string, bytes: Uint8Array<ArrayBuffer>, set: SetOptions): Promise<Picture> {
    const { width, height, type } = await inspect(bytes);
    const upright = { width, height };
    const content = sha256(bytes);
    const files = itemsOf(readSetOptions(set), upright, type).map(
      ({ width: boxWidth, options }) => {
        const format = options.format === 'auto' ? 'keep' : options.format;
        const { mediaType } = factsOf(format === 'keep' ? type : format);
        const only = { widths: [boxWidth], formats: [format] } as const;
        const url = this.#add({ path, content, set, only, mediaType });
        const size = resizeTarget(upright, options) ?? upright;
        return { url, mediaType, width: size.width, height: size.height, only };
      },
    );
    const { type: shownType } = pictureSources(files).img;
    // The quickest: the others have the same placeholder, but for rounding.
    const smallest = files.find(({ mediaType }) => mediaType === shownType);
    const isAwaited = set.placeholder === 'thumbhash' && smallest !== undefined;
    const made = isAwaited && (await this.#work.makeOne(async () => bytes, set, smallest.only));
    return pictureOf(files, made ? made.placeholder : null);
  }

  /** @returns the URL */
  #add(file: ServedFile): string {
    const { path, content, set, only, mediaType } = file;
    const made = [content, optionsKey({ ...set, ...only }), identity.version, identity.engine];
    const key = sha256(made.join('\n')).slice(0, 16);
    const name = nameInSet(basename(path), only.widths[0], mediaType);
    const url = `${this.#prefix}${key}/${encodeURIComponent(name)}`;
    this.#files.set(url, { ...file, etag: `"${key}"` });
    return `${this.#server.config.server.origin ?? ''}${url}`;
  }

  async #answer(
    path: string,
    { method = 'GET', headers }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const file = this.#files.get(path);
    if (method !== 'GET' && method !== 'HEAD') return end(response, 405);
    if (!file) return end(response, 404);
    const { mediaType, etag } = file;
    response.setHeader('ETag', etag);
    response.setHeader('Cache-Control', 'no-cache');
    if (headers['if-none-match'] === etag) return end(response, 304);
    try {
      const bytes = await this.#make(file);
      response.writeHead(200, { 'Content-Type': mediaType, 'Content-Length': bytes.length });
      response.end(method === 'HEAD' ? undefined : bytes);
    } catch (error) {
      response.removeHeader('ETag');
      // Modules name another file now.
      const isOld = error instanceof OptimizeError && error.code === 'changed_meanwhile';
      if (isOld) return end(response, 404);
      const message = this.#report(file, error);
      response.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' }).end(message);
    }
  }

  async #make({ path, content, set, only, mediaType }: ServedFile): Promise<Uint8Array> {
    const read = async () => {
      const bytes = new Uint8Array(await readFile(path));
      if (sha256(bytes) !== content) throw new OptimizeError('changed_meanwhile');
      return bytes;
    };
    const { results } = await this.#work.makeOne(read, set, only);
    const isWanted = (one: (typeof results)[number]) =>
      one.boxWidth === only.widths[0] && one.type === mediaType;
    const result = results.find(isWanted);
    // There would have been an error.
    if (!result) throw new TypeError('a set of one file has no result');
    return result.bytes;
  }

  /** Shows an error as Vite shows those of modules: in the terminal, and over the page. */
  #report({ path }: ServedFile, error: unknown): string {
    const { config, environments } = this.#server;
    const message = `${relative(config.root, path)}: ${causeOf(error)}`;
    config.logger.error(`${identity.name}: ${message}`, { timestamp: true });
    environments.client.hot.send({
      type: 'error',
      err: { message, stack: '', id: path, plugin: identity.name },
    });
    return message;
  }
}

/** The path of a request, as it was sent. */
function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}
