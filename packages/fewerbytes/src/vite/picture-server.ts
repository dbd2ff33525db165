import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, relative } from 'node:path';
import type { ViteDevServer } from 'vite';
import { itemsOf, readSetOptions, resizeTarget } from '../../../../src/image/engine.ts';
import { factsOf } from '../../../../src/image/formats/facts.ts';
import { pictureSources, type ShownFile } from '../../../../src/image/markup.ts';
import { inspect } from '../engine/index.ts';
import { OptimizeError } from '../errors.ts';
import { sha256 } from '../files/cache.ts';
import { identity } from '../identity.ts';
import { nameInSet } from '../images.ts';
import type { SetOptions } from '../options.ts';
import { causeOf, type Picture, type PictureWork, pictureOf } from './picture-work.ts';

// Pictures on the development server: sizes and addresses are known from headers, so that modules are there at once. Each
// file is made when a browser asks for it, which takes only those that the page shows.

/** A file that can be asked for. */
interface ServedFile {
  readonly path: string;
  /** SHA-256 of the image of which it is made. */
  readonly content: string;
  /** A set of this file alone. */
  readonly set: SetOptions;
  readonly mediaType: string;
  readonly etag: string;
}

/** What sets of one image have in common. */
interface Original {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly content: string;
}

export class PictureServer {
  readonly #server: ViteDevServer;
  readonly #work: PictureWork;
  /** By the paths of URLs, base included. */
  readonly #files = new Map<string, ServedFile>();
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
    const original = { path, bytes, content: sha256(bytes) };
    const upright = { width, height };
    const files = itemsOf(readSetOptions(set), upright, type).map(
      ({ width: boxWidth, options }) => {
        const { format } = options;
        const result = format === 'keep' || format === 'auto' ? type : format;
        const { mediaType } = factsOf(result);
        const size = resizeTarget(upright, options) ?? upright;
        const name = nameInSet(basename(path), boxWidth, mediaType);
        const alone = { ...set, widths: [boxWidth], formats: [format] } as SetOptions;
        const url = this.#add(original, name, alone, mediaType);
        return { url, mediaType, width: size.width, height: size.height, alone };
      },
    );
    return pictureOf(files, await this.#placeholder(original, set, files));
  }

  /** @returns the URL */
  #add(original: Original, name: string, set: SetOptions, mediaType: string): string {
    const { path, content } = original;
    const key = sha256(content, JSON.stringify(set), identity.version, identity.engine).slice(
      0,
      16,
    );
    const url = `${this.#prefix}${key}/${encodeURIComponent(name)}`;
    this.#files.set(url, { path, content, set, mediaType, etag: `"${key}"` });
    return `${this.#server.config.server.origin ?? ''}${url}`;
  }

  /** That of the smallest file for the `<img>`: the others have the same, but for rounding, and take longer. */
  async #placeholder(
    { bytes }: Original,
    { placeholder }: SetOptions,
    files: readonly (ShownFile & { readonly alone: SetOptions })[],
  ): Promise<string | null> {
    if (placeholder !== 'thumbhash') return null;
    const { type } = pictureSources(files).img;
    const smallest = files.find(({ mediaType }) => mediaType === type);
    if (!smallest) return null;
    return (await this.#work.make(async () => bytes, smallest.alone)).placeholder;
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

  async #make({ path, content, set }: ServedFile): Promise<Uint8Array> {
    const read = async () => {
      const bytes = new Uint8Array(await readFile(path));
      if (sha256(bytes) !== content) throw new OptimizeError('changed_meanwhile');
      return bytes;
    };
    const [result] = (await this.#work.make(read, set)).results;
    // There would have been an error.
    if (!result) throw new TypeError('a set has at least one result');
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
