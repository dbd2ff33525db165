import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../../scripts/local/browsers.ts';
import { smallPhoto } from '../../../test/support/pictures.ts';
import type * as Engine from '../src/engine/index.ts';
import type * as Pools from '../src/pool/index.ts';
import { systemNode } from './support/command.ts';
import { newFolder } from './support/folders.ts';
import { buildSite, pageOf, writeProject } from './support/package.ts';
import { PackagePage, type StaticServer, serveFolder } from './support/page.ts';

/** What scenarios get: the package, and a photo. */
type Parts = typeof Engine & typeof Pools & { readonly photo: Uint8Array<ArrayBuffer> };

/** Calls a function that refers to nothing but what it gets, since it may run in a page. */
type Play = <Result>(scenario: (parts: Parts) => Promise<Result>) => Promise<Result>;

const [engineUrl, poolUrl] = ['index.js', 'pool.js'].map(
  (name) => pathToFileURL(join(import.meta.dirname, '../dist', name)).href,
) as [string, string];

let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  photo = await smallPhoto();
});

describe('sets in Node', () => {
  testSets(async (scenario) => {
    const [engine, pools] = await Promise.all([import(engineUrl), import(poolUrl)]);
    return scenario({ ...engine, ...pools, photo });
  });

  it('have all code that they take before they begin, so that nothing is made twice', {
    tags: 'slow',
  }, () => {
    const program = `
      import { readFileSync } from 'node:fs';
      const missed = [];
      const note = (message) => /has not been loaded/.test(message) && missed.push(message);
      globalThis.Error = new Proxy(Error, {
        apply: (kind, _, args) => (note(args[0]), kind(...args)),
        construct: (kind, args, newTarget) => (note(args[0]), Reflect.construct(kind, args, newTarget)),
      });
      const { optimize, optimizeSet } = await import('${engineUrl}');
      const photo = readFileSync(0);
      const crop = { ratio: '1:1', position: 'auto', placeholder: 'thumbhash' };
      const formats = ['keep', 'webp', 'png', 'avif'];
      const { results } = await optimizeSet(photo, { widths: [40, 80], formats, ...crop });
      console.log(results.length, missed.length);
      // XMP where it is not looked for: its parser is missed.
      const segment = (marker, body) => {
        const head = Buffer.from([0xff, marker, 0, 0]);
        head.writeUInt16BE(body.length + 2, 2);
        return Buffer.concat([head, body]);
      };
      const padding = Array.from({ length: 5 }, () => segment(0xfe, Buffer.alloc(65_000)));
      const xmp = segment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\\0<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'));
      const parts = [photo.subarray(0, 2), ...padding, xmp, ...padding, photo.subarray(2)];
      await optimize(Buffer.concat(parts), { metadata: 'copyright' });
      console.log(missed.length > 0);`;
    const args = ['--input-type=module', '-e', program];
    const { stdout } = spawnSync(systemNode, args, { input: photo, timeout: 60_000 });
    expect(stdout.toString()).toBe('8 0\ntrue\n');
  });
});

describe.skipIf(findChromium() === null)('sets in a page', { tags: 'slow' }, () => {
  const endings: (() => Promise<void>)[] = [];
  let server: StaticServer;
  let page: PackagePage;

  beforeAll(async () => {
    const folder = await newFolder((work) => endings.push(work));
    await writeProject(folder, pageOf('', '/pool'));
    server = await serveFolder(buildSite(folder));
    page = await PackagePage.open(server.origin);
  });
  afterAll(async () => {
    await page?.close();
    server?.close();
    for (const end of endings) await end();
  });

  testSets((scenario) => page.play(scenario, photo));
});

function testSets(play: Play): void {
  it('are what single calls give, in the engine and in a pool', async () => {
    const { found, order, placeholders } = await play(async (parts) => {
      const { createPool, optimize, optimizeSet, photo } = parts;
      const pool = createPool({ size: 1 });
      const shared = { ratio: '3:2', placeholder: 'thumbhash' } as const;
      const set = { widths: [90, 240, 4000], formats: ['webp', 'keep'], ...shared } as const;
      const told: number[] = [];
      const onProgress = (fraction: number) => void told.push(fraction);
      const sets = [
        await optimizeSet(photo, set),
        await pool.optimizeSet(photo, set, { onProgress }),
      ];
      await pool.close();
      const found: boolean[] = [told.at(-1) === 1];
      for (const { width, height, results, failed } of sets) {
        found.push(width === 480 && height === 320 && failed.length === 0);
        for (const { boxWidth, type, bytes } of results) {
          const box = { width: boxWidth, height: (boxWidth * 2) / 3, fit: 'cover' } as const;
          const one = await optimize(photo, { ...box, format: type as 'webp' });
          found.push(bytes.join() === one.bytes.join());
        }
      }
      const single = await optimize(photo, { format: 'webp', placeholder: 'thumbhash' });
      return {
        found,
        order: sets.map(({ results }) => results.map(({ boxWidth, type }) => [boxWidth, type])),
        placeholders: [single, ...sets].map(({ placeholder }) => placeholder),
      };
    });
    expect(found).toEqual(Array.from({ length: 15 }, () => true));
    const types = [90, 240, 480].flatMap((width) => [
      [width, 'webp'],
      [width, 'jpeg'],
    ]);
    expect(order).toEqual([types, types]);
    expect(placeholders[0]).not.toBeNull();
    expect(new Set(placeholders).size).toBe(1);
  });

  it('say what could not be made, and throw if that is all', { tags: 'slow' }, async () => {
    const [direct, pooled] = await play(async (parts) => {
      const { createPool, optimizeSet, ImageError, photo } = parts;
      const pool = createPool({ size: 1 });
      const set = { formats: ['webp', 'jpeg'], maxBytes: 4000 } as const;
      const seen = (error: unknown) =>
        error instanceof ImageError
          ? [error.code, error.detail, JSON.stringify(error.members), error.inputType]
          : [`no ImageError: ${error}`];
      const outcomes = [];
      for (const make of [optimizeSet, pool.optimizeSet.bind(pool)]) {
        const { results, failed } = await make(photo, { ...set, widths: [50, 480] });
        const failures = failed.map(({ width, type, error }) => [width, type, ...seen(error)]);
        const none = (await make(photo, { ...set, widths: [480] }).catch(seen)) as unknown[];
        const refused = (await make(photo, { ...set, widths: [] }).catch(seen)) as unknown[];
        outcomes.push({ made: results.map(({ boxWidth }) => boxWidth), failures, none, refused });
      }
      await pool.close();
      return outcomes;
    });
    expect(pooled).toEqual(direct);
    const code = 'max_bytes_unreachable';
    expect(direct?.made).toEqual([50, 50]);
    expect(direct?.failures.map((one) => one.slice(0, 3))).toEqual([
      [480, 'webp', code],
      [480, 'jpeg', code],
    ]);
    expect([direct?.none[0], direct?.refused[0]]).toEqual([code, 'invalid_options']);
  });
}
