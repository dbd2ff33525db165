import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, sep } from 'node:path';
import type { Page } from 'playwright-core';
import { sharedBrowser } from '../../../../test/support/browser.ts';
import type { Outcome } from './homes.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** A web server for the files of a folder. */
export interface StaticServer {
  readonly origin: string;
  close(): void;
}

/** @param types media types that differ from the usual ones, by extension */
export async function serveFolder(
  folder: string,
  types: Readonly<Record<string, string>> = {},
): Promise<StaticServer> {
  const server = createServer(async ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    const path = join(folder, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
    const body = path.startsWith(folder + sep) ? await readFile(path).catch(() => null) : null;
    const type = { ...mediaTypes, ...types }[extname(path)] ?? 'application/octet-stream';
    response.writeHead(body ? 200 : 404, { 'Content-Type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Where in a page the work is done. */
export type Place = 'page' | 'pool';

/** A page in Chromium whose script has set `window.fewerbytes` to the package. */
export class PackagePage {
  readonly page: Page;
  /** What has been logged as an error, or thrown, other than that there is no icon. */
  readonly complaints: string[] = [];
  #file: Uint8Array = new Uint8Array();

  private constructor(page: Page) {
    this.page = page;
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
  }

  /** @param watch sees the page before it loads */
  static async open(url: string, watch: (page: Page) => void = () => {}): Promise<PackagePage> {
    const context = await (await sharedBrowser()).newContext();
    const page = await context.newPage();
    const made = new PackagePage(page);
    await page.route('**/favicon.ico', (route) => route.fulfill({ body: '' }));
    await page.route('**/picture', (route) =>
      route.fulfill({ contentType: 'application/octet-stream', body: Buffer.from(made.#file) }),
    );
    watch(page);
    await page.goto(url);
    await page.waitForFunction('window.fewerbytes');
    return made;
  }

  /** Optimizes a picture there. @throws Error if it fails without an `ImageError` */
  async optimize(file: Uint8Array, options: object, place: Place = 'page'): Promise<Outcome> {
    this.#file = file;
    return this.evaluate<Outcome>(`
      const file = new Uint8Array(await (await fetch('/picture', { cache: 'no-store' })).arrayBuffer());
      const options = ${JSON.stringify(options)};
      try {
        const home = ${place === 'page'} ? fewerbytes : (window.pool ??= createPool({ size: 1 }));
        const { bytes } = await home.optimize(file, options);
        const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
        const hexadecimal = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
        return { sha256: hexadecimal };
      } catch (error) {
        if (error instanceof ImageError) return { refusal: error.code + ': ' + error.detail };
        throw error;
      }`);
  }

  /** Calls a function there with the package's names and a picture. It can refer to nothing else. */
  play<Result>(scenario: (parts: never) => Promise<Result>, photo: Uint8Array): Promise<Result> {
    this.#file = photo;
    return this.page.evaluate<Result>(`(async () => {
      const photo = new Uint8Array(await (await fetch('/picture', { cache: 'no-store' })).arrayBuffer());
      return (${scenario})({ ...window.fewerbytes, photo });
    })()`);
  }

  /** Runs the body of an asynchronous function in which the package's names are there. */
  evaluate<Result>(body: string): Promise<Result> {
    return this.page.evaluate<Result>(
      `(async () => { const { ImageError, optimize, createPool } = window.fewerbytes; ${body} })()`,
    );
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}
