import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { npm, packageFolder } from '../../scripts/local/packages.ts';
import { root } from '../../scripts/local/root.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly integrity?: string }>
  >;
}

let service: TestService;
let place: string;
/** The path that /docs/cli tells readers to give to npx. */
let path: string;

beforeAll(async () => {
  service = await sharedTestService();
  place = await mkdtemp(join(tmpdir(), 'fewerbytes-package-'));
  const page = await (await service.fetch('/docs/cli')).text();
  expect(page).not.toContain('{{package');
  const text = page.replaceAll(/<[^>]*>/g, '');
  const [, found = ''] = new RegExp(`--package=${service.url.origin}(/\\S+)`).exec(text) ?? [];
  path = found;
});
afterAll(async () => {
  await rm(place, { recursive: true });
  await service.close();
});

describe('the package that /docs/cli names', () => {
  it('is served to everyone, and kept for good', async () => {
    expect(path).toMatch(/^\/packages\/fewerbytes-\d+\.\d+\.\d+-[0-9a-f]{8}\.tgz$/);
    const whole = await service.fetch(path);
    const head = await service.fetch(path, { method: 'HEAD' });
    expect((await whole.arrayBuffer()).byteLength).toBeGreaterThan(1_000_000);
    expect(await head.text()).toBe('');
    for (const { status, headers } of [whole, head]) {
      expect(status).toBe(200);
      expect(headers.get('Content-Type')).toBe('application/gzip');
      expect(headers.get('Content-Encoding')).toBeNull();
      expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'");
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Set-Cookie')).toBeNull();
    }
  });

  it('is what npm packs, byte for byte, with all licenses, and needs exact versions from npm only', async () => {
    const served = Buffer.from(await (await service.fetch(path)).arrayBuffer());
    const folder = packageFolder('fewerbytes');
    await npm(['pack', '--ignore-scripts', '--pack-destination', place], folder);
    const [packed = ''] = await readdir(place);
    expect(served.equals(await readFile(join(place, packed)))).toBe(true);

    execFileSync('tar', ['-xzf', join(place, packed), '-C', place]);
    const read = (file: string) => readFile(join(place, 'package', file), 'utf8');
    const { version, dependencies }: Manifest = JSON.parse(await read('package.json'));
    expect(path).toContain(`-${version}-`);
    const lock: Lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
    expect(Object.keys(dependencies).length).toBeGreaterThan(0);
    for (const [name, needed] of Object.entries(dependencies)) {
      const locked = lock.packages[`node_modules/${name}`];
      expect(locked?.version, name).toBe(needed);
      // only of what comes from a registry
      expect(locked?.integrity, name).toMatch(/^sha512-/);
    }
    const licenses = await read('dist/licenses.md');
    const bundled = ['@xmldom/xmldom', 'crc-32', 'fflate', 'ogv'];
    for (const name of bundled) expect(licenses).toContain(`\n## ${name}/`);
    for (const holder of [
      'Alliance for Open Media',
      'Edward Rosten',
      'dav1d authors',
      'Rich Felker',
    ]) {
      expect(licenses).toContain(holder);
    }
  });

  it('is the only one there is', async () => {
    const others = ['/packages/fewerbytes-0.1.0-00000000.tgz', '/packages/none', '/packages/'];
    for (const other of others) {
      const response = await service.fetch(other);
      expect(response.status, other).toBe(404);
      expect(response.headers.get('Cache-Control')).toBe('no-store');
      expect(await response.text()).toContain('<h1>Not found</h1>');
    }
    const post = await service.fetch(path, { method: 'POST' });
    expect([post.status, post.headers.get('Allow')]).toEqual([405, expect.stringContaining('GET')]);
    await post.text();
  });
});
