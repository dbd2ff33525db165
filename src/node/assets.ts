import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { matches } from '../routes/delivery.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.gz': 'application/gzip',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/**
 * The built files that pages load, each read once, when it is first asked for. Only what was there at the start is
 * served, so no path leads elsewhere.
 * @param folder `dist/cabinet`, or its copy
 */
export function folderAssets(folder: string): {
  fetch(input: Request | URL | string): Promise<Response>;
} {
  const files = globSync('**/*.*', { cwd: folder, exclude: (name) => name === '.vite' });
  const paths = new Set(files.map((file) => `/${file.replaceAll('\\', '/')}`));
  const loaded = new Map<string, Promise<Asset>>();
  const load = (path: string) => {
    const known = loaded.get(path);
    if (known) return known;
    const loading = read(join(folder, path));
    loaded.set(path, loading);
    loading.catch(() => loaded.delete(path));
    return loading;
  };
  return {
    async fetch(input) {
      const request = input instanceof Request ? input : new Request(input);
      const path = decoded(new URL(request.url).pathname);
      if (path === null || !paths.has(path)) return new Response(null, { status: 404 });
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } });
      }
      const { bytes, etag } = await load(path);
      const headers = { ETag: etag, 'Cache-Control': 'public, max-age=0, must-revalidate' };
      if (matches(request.headers.get('If-None-Match') ?? undefined, etag)) {
        return new Response(null, { status: 304, headers });
      }
      const type = types[extname(path)] ?? 'application/octet-stream';
      return new Response(request.method === 'HEAD' ? null : bytes, {
        headers: { ...headers, 'Content-Type': type, 'Content-Length': String(bytes.length) },
      });
    },
  };
}

async function read(file: string): Promise<Asset> {
  const bytes = new Uint8Array(await readFile(file));
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"` };
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
