import { spawnSync } from 'node:child_process';
import { cp, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  afterAll,
  beforeAll,
  describe,
  expect,
  it,
  onTestFinished,
  type TestOptions,
} from 'vitest';
import { findChromium } from '../../../scripts/local/browsers.ts';
import { itForEach } from '../../../test/support/each.ts';
import { smallPhoto } from '../../../test/support/pictures.ts';
import type * as Engine from '../src/engine/index.ts';
import type * as Pools from '../src/pool/index.ts';
import { systemNode } from './support/command.ts';
import { newFolder } from './support/folders.ts';
import { pageOf, writeProject } from './support/package.ts';
import { PackagePage, type StaticServer, serveFolder } from './support/page.ts';

/** What scenarios get: the package, and a photo. */
type Parts = typeof Engine & typeof Pools & { readonly photo: Uint8Array<ArrayBuffer> };

/** Runs in Node and in pages, so it refers to nothing but what it gets. */
type Scenario<Result> = (parts: Parts) => Promise<Result>;
type Play = <Result>(scenario: Scenario<Result>) => Promise<Result>;

const dist = join(import.meta.dirname, '../dist');

/** The built package in this Node. */
async function inNode(folder: string): Promise<Omit<Parts, 'photo'>> {
  const names = ['index.js', 'pool.js'];
  const urls = names.map((name) => pathToFileURL(join(folder, name)).href);
  const [engine, pools] = await Promise.all(urls.map((url) => import(url)));
  return { ...engine, ...pools };
}

/** A folder with the built package, whose files a test may change. */
async function copyOfPackage(): Promise<string> {
  const folder = await newFolder(onTestFinished);
  await cp(dist, folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  photo = await smallPhoto(300);
});

describe('the pool in Node', () => {
  testPool(async (scenario) => scenario({ ...(await inNode(dist)), photo }));

  it('gives a new thread to the next picture when one dies', { tags: 'slow' }, async () => {
    const folder = await copyOfPackage();
    const dying = `import { parentPort } from 'node:worker_threads';
      parentPort.once('message', () => process.exit(1));`;
    await writeFile(join(folder, 'pool-thread.js'), dying);
    const { createPool } = await inNode(folder);
    const pool = createPool({ size: 1 });
    const fates = await Promise.allSettled([pool.optimize(photo), pool.optimize(photo)]);
    expect(fates.map((fate) => fate.status === 'rejected' && fate.reason.message)).toEqual([
      'the thread has ended',
      'the thread has ended',
    ]);
    await pool.close();
  });

  it('rejects while the code of a format is not there, and works again when it is', {
    tags: 'slow',
  }, async () => {
    const folder = await copyOfPackage();
    const [kernel, aside] = [join(folder, 'webp.wasm'), join(folder, 'aside')];
    await rename(kernel, aside);
    const { createPool, LoadingError } = await inNode(folder);
    const pool = createPool({ size: 1 });
    await expect(pool.optimize(photo, { format: 'webp' })).rejects.toThrow(LoadingError);
    expect((await pool.optimize(photo)).type).toBe('jpeg');
    await rename(aside, kernel);
    expect((await pool.optimize(photo, { format: 'webp' })).type).toBe('webp');
    await pool.close();
  });

  it('keeps no process alive that has nothing left to do', () => {
    const program = `
      import { readFileSync } from 'node:fs';
      import { createPool } from '${pathToFileURL(join(dist, 'pool.js')).href}';
      const { type } = await createPool({ size: 2 }).optimize(readFileSync(0));
      console.log(type);`;
    const args = ['--input-type=module', '-e', program];
    const { stdout, status } = spawnSync(systemNode, args, { input: photo, timeout: 30_000 });
    expect(stdout.toString()).toBe('jpeg\n');
    expect(status).toBe(0);
  });
});

describe.skipIf(findChromium() === null)('the pool in a page', () => {
  const endings: (() => Promise<void>)[] = [];
  let server: StaticServer;
  let page: PackagePage;

  beforeAll(async () => {
    const folder = await newFolder((work) => endings.push(work));
    await writeProject(folder, pageOf());
    const files = './node_modules/fewerbytes/dist/browser';
    const script = `
      import * as engine from '${files}/index.js';
      import * as pools from '${files}/pool.js';
      window.fewerbytes = { ...engine, ...pools };`;
    await writeFile(join(folder, 'main.js'), script);
    server = await serveFolder(folder);
    page = await PackagePage.open(server.origin);
  });
  afterAll(async () => {
    await page?.close();
    server?.close();
    for (const end of endings) await end();
  });

  const play: Play = (scenario) => page.play(scenario, photo);
  testPool(play, { tags: 'slow' });

  it('gives a new worker to the next picture when one dies', async () => {
    const dying = `onmessage = () => { throw new Error('bad luck'); };`;
    await page.page.route('**/pool-thread.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: dying }),
    );
    const messages = await play(async ({ createPool, photo }) => {
      const pool = createPool({ size: 1 });
      const fates = await Promise.allSettled([pool.optimize(photo), pool.optimize(photo)]);
      await pool.close();
      return fates.map((fate) => fate.status === 'rejected' && String(fate.reason));
    });
    expect(messages).toEqual([
      expect.stringContaining('bad luck'),
      expect.stringContaining('bad luck'),
    ]);
    await page.page.unroute('**/pool-thread.js');
  });

  itForEach(
    ['**/pool-thread.js', '**/jpeg-*.js', '**/*.wasm'],
    'rejects while %s cannot be loaded, and works again when it can',
    async (files) => {
      await page.page.evaluate(`window.pool = window.fewerbytes.createPool({ size: 1 })`);
      const optimized = () =>
        play(async ({ LoadingError, photo }) => {
          const { pool } = globalThis as unknown as { pool: Pools.Pool };
          return pool.optimize(photo).then(
            ({ type }) => type as string,
            (error) => (error instanceof LoadingError ? 'not loaded' : String(error)),
          );
        });
      await page.page.route(files, (route) => route.abort());
      expect([await optimized(), await optimized()]).toEqual(['not loaded', 'not loaded']);
      await page.page.unroute(files);
      expect(await optimized()).toBe('jpeg');
    },
  );
});

/** @param ofShared options of tests of what all platforms share */
function testPool(play: Play, ofShared: TestOptions = {}): void {
  it('makes what the engine makes, several at once, and in one thread in the order of the calls', async () => {
    const { equal, order } = await play(async ({ createPool, optimize, photo }) => {
      const widths = [280, 60, 150, 90, 30];
      const order: number[] = [];
      const [wide, narrow] = [createPool({ size: 3 }), createPool({ size: 1 })];
      const text = ({ bytes }: { readonly bytes: Uint8Array }) => bytes.join();
      const expected: string[] = [];
      for (const width of widths) expected.push(text(await optimize(photo, { width })));
      const made = await Promise.all(widths.map((width) => wide.optimize(photo, { width })));
      const inTurn = widths.map(async (width) => {
        const one = await narrow.optimize(photo, { width });
        order.push(width);
        return one;
      });
      const turns = await Promise.all(inTurn);
      await Promise.all([wide.close(), narrow.close()]);
      const equal = expected.every((one, i) =>
        [made[i], turns[i]].every((other) => other && text(other) === one),
      );
      return { equal, order: order.join() };
    });
    expect(equal).toBe(true);
    expect(order).toBe('280,60,150,90,30');
  });

  it('plans as the engine does', ofShared, async () => {
    const { pooled, direct, refusal } = await play(async ({ createPool, plan, photo }) => {
      const pool = createPool({ size: 1 });
      const options = { format: 'avif', width: 100 } as const;
      const pooled = await pool.plan(photo, options);
      const refusal = await pool.plan(new Uint8Array(9)).catch((error) => error.code);
      await pool.close();
      return { pooled, direct: await plan(photo, options), refusal };
    });
    expect(pooled).toEqual(direct);
    expect(pooled).toMatchObject({ inputType: 'jpeg', inputBytes: photo.length });
    expect(pooled.cpuMs * pooled.memory).toBeGreaterThan(0);
    expect(refusal).toBe('unsupported_media_type');
  });

  it('takes buffers and Blobs, like the engine, and says what else is none', {
    ...ofShared,
    tags: 'slow',
  }, async () => {
    const { length, taken, refused, predicted } = await play(async (parts) => {
      const { createPool, optimize, inspect, plan, predict, photo } = parts;
      const pool = createPool({ size: 1 });
      const width = 40;
      const works = [
        async (image: Engine.ImageSource) => (await optimize(image, { width })).bytes.join(),
        async (image: Engine.ImageSource) => (await pool.optimize(image, { width })).bytes.join(),
        async (image: Engine.ImageSource) => JSON.stringify(await inspect(image)),
        async (image: Engine.ImageSource) => JSON.stringify(await plan(image, { width })),
        async (image: Engine.ImageSource) => JSON.stringify(await pool.plan(image, { width })),
      ];
      const sources = [photo.buffer, new Blob([photo]), new File([photo], 'a.jpg')];
      const taken: boolean[] = [];
      const refused: string[] = [];
      const others = ['photo.jpg', undefined, null, 7, {}, [1], new DataView(photo.buffer)];
      for (const work of works) {
        const expected = await work(photo);
        for (const source of sources) taken.push((await work(source)) === expected);
        for (const other of [...others, Promise.resolve(photo)]) {
          refused.push(await work(other as never).catch(String));
        }
      }
      await pool.close();
      const numbers = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '7', undefined, {}];
      const predicted = [];
      for (const bytes of numbers) predicted.push(await predict(bytes as never).catch(String));
      for (const bytes of [0, 1e6, null]) predicted.push((await predict(bytes)).cpuMs > 0);
      return { length: photo.length, taken, refused, predicted };
    });
    expect(length).toBe(photo.length);
    expect(taken).toEqual(taken.map(() => true));
    const expected = 'TypeError: image must be a Uint8Array, ArrayBuffer or Blob, not ';
    const found = ['a string', 'undefined', 'null', 'a number', 'an Object', 'an Array'];
    const texts = [...found, 'a DataView', 'a Promise'].map((kind) => expected + kind);
    expect(refused).toEqual([...texts, ...texts, ...texts, ...texts, ...texts]);
    const wrong = 'TypeError: bytes must be a whole number, 0 or more, or null';
    expect(predicted).toEqual([...Array.from({ length: 7 }, () => wrong), true, true, true]);
  });

  it('leaves the picture to its owner', async () => {
    const length = await play(async ({ createPool, photo }) => {
      const pool = createPool({ size: 1 });
      const work = pool.optimize(photo);
      const { length } = photo;
      await work;
      await pool.close();
      return length;
    });
    expect(length).toBe(photo.length);
  });

  it('reports progress that rises to 1', { tags: 'slow' }, async () => {
    const told = await play(async ({ createPool, photo }) => {
      const told: number[] = [];
      const pool = createPool({ size: 1 });
      const options = { format: 'webp' } as const;
      await pool.optimize(photo, options, { onProgress: (fraction) => told.push(fraction) });
      await pool.close();
      return told;
    });
    expect(told.length).toBeGreaterThan(2);
    expect(told).toEqual([...new Set(told)].sort((a, b) => a - b));
    expect(told.at(-1)).toBe(1);
  });

  it('fails with what the owner throws when told of progress, and goes on', {
    ...ofShared,
    tags: 'slow',
  }, async () => {
    const [reason, width] = await play(async ({ createPool, photo }) => {
      const pool = createPool({ size: 1 });
      const onProgress = () => {
        throw new Error('mine');
      };
      const first = pool.optimize(photo, { format: 'webp' }, { onProgress });
      const reason = await first.catch((error: Error) => error.message);
      const { width } = await pool.optimize(photo, { width: 50 });
      await pool.close();
      return [reason, width];
    });
    expect(reason).toBe('mine');
    expect(width).toBe(50);
  });

  it('ends what is aborted, whether it waits or runs, and goes on with the next', async () => {
    const fates = await play(async ({ createPool, photo }) => {
      const pool = createPool({ size: 1 });
      const [running, waiting, before] = Array.from({ length: 3 }, () => new AbortController());
      const slow = { format: 'avif' } as const;
      let begun = () => {};
      const start = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const first = pool.optimize(photo, slow, {
        signal: (running as AbortController).signal,
        onProgress: () => begun(),
      });
      const second = pool.optimize(photo, {}, { signal: (waiting as AbortController).signal });
      const third = pool.optimize(photo, { width: 50 });
      before?.abort('never begun');
      const fourth = pool.optimize(photo, {}, { signal: (before as AbortController).signal });
      waiting?.abort('waited long enough');
      const settled = Promise.allSettled([first, second, third, fourth]);
      await Promise.race([start, settled]);
      running?.abort('ran long enough');
      const fates = await settled;
      await pool.close();
      return fates.map((fate) => (fate.status === 'rejected' ? fate.reason : fate.value.width));
    });
    expect(fates).toEqual(['ran long enough', 'waited long enough', 50, 'never begun']);
  });

  it('fails what is not done when it is closed, and whatever comes after that', async () => {
    const reasons = await play(async ({ createPool, photo }) => {
      const pool = createPool({ size: 1 });
      const rest = [pool.optimize(photo, { format: 'avif' }), pool.optimize(photo)];
      const settled = Promise.allSettled(rest);
      await pool.close();
      const late = await Promise.allSettled([pool.optimize(photo)]);
      await pool.close();
      return [...(await settled), ...late].map((fate) =>
        fate.status === 'rejected' ? String(fate.reason) : 'done',
      );
    });
    expect(reasons).toEqual(Array.from({ length: 3 }, () => 'Error: the pool is closed'));
  });

  it('refuses as the engine does, and goes on after that', {
    ...ofShared,
    tags: 'slow',
  }, async () => {
    const { pooled, direct, width } = await play(async (parts) => {
      const { createPool, optimize, ImageError, photo } = parts;
      const pool = createPool({ size: 1 });
      const attempts = [
        [Uint8Array.from([1, 2, 3]), {}],
        [photo, { bogus: 1 } as object],
        [photo, { format: 'gif' }],
        [photo.subarray(0, 1000), {}],
        [photo, { format: 'webp', maxBytes: 1000 }],
      ] as const;
      const seen = (work: Promise<unknown>) =>
        work.then(String, (error) =>
          error instanceof ImageError
            ? [error.code, error.detail, JSON.stringify(error.members), error.inputType].join('\n')
            : `no ImageError: ${error}`,
        );
      const pooled = attempts.map(([file, options]) => seen(pool.optimize(file, options)));
      const direct: string[] = [];
      for (const [file, options] of attempts) direct.push(await seen(optimize(file, options)));
      const found = await Promise.all(pooled);
      const { width } = await pool.optimize(photo, { width: 40 });
      await pool.close();
      return { pooled: found, direct, width };
    });
    expect(pooled).toEqual(direct);
    expect(direct.map((text) => text.split('\n')[0])).toEqual([
      'unsupported_media_type',
      'invalid_options',
      'invalid_options',
      'invalid_image',
      'max_bytes_unreachable',
    ]);
    expect(width).toBe(40);
  });

  it('goes on after options that cannot be sent to a thread', {
    ...ofShared,
    tags: 'slow',
  }, async () => {
    const fates = await play(async ({ createPool, photo }) => {
      const pool = createPool({ size: 1 });
      const odd = { width: () => 40 } as object;
      const works = [pool.optimize(photo), pool.optimize(photo, odd), pool.optimize(photo, odd)];
      const fates = await Promise.allSettled([...works, pool.optimize(photo, { width: 40 })]);
      await pool.close();
      return fates.map((fate) =>
        fate.status === 'rejected' ? fate.reason.name : fate.value.width,
      );
    });
    expect(fates).toEqual([300, 'DataCloneError', 'DataCloneError', 40]);
  });

  it('is not made of impossible sizes', ofShared, async () => {
    const names = await play(async ({ createPool }) => {
      const impossible = [
        { size: 0 },
        { size: 1.5 },
        { size: Number.NaN },
        { memory: 2 ** 20 },
        { size: 3, memory: 2 * 96 * 2 ** 20 },
        { memory: Number.POSITIVE_INFINITY },
        { maxCpuMs: 0 },
      ];
      return impossible.map((settings) => {
        try {
          createPool(settings);
          return 'made';
        } catch (error) {
          return (error as Error).name;
        }
      });
    });
    expect(new Set(names)).toEqual(new Set(['RangeError']));
  });

  it('has as many threads as there is memory for', async () => {
    const sizes = await play(async ({ createPool }) => {
      const mebibyte = 2 ** 20;
      return [createPool({ memory: 96 * mebibyte }).size, createPool({ size: 7 }).size];
    });
    expect(sizes).toEqual([1, 7]);
  });
}
