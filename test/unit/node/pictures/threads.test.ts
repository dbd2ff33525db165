import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { unzipSync } from 'fflate';
import { Hono } from 'hono';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { root } from '../../../../scripts/local/root.ts';
import { ApiError } from '../../../../src/errors.ts';
import {
  createEngine,
  ledger,
  optimize,
  planSet,
  readOptions,
  readSetOptions,
} from '../../../../src/image/engine.ts';
import { provideGlobals } from '../../../../src/node/http/streams.ts';
import { type PictureThreads, startThreads } from '../../../../src/node/pictures/threads.ts';
import type { KeyEnv } from '../../../../src/routes/http/context.ts';
import { Scheduler } from '../../../../src/routes/optimize/scheduler.ts';
import {
  type Allowance,
  respondingWithPicture,
  serveImage,
} from '../../../../src/routes/optimize/serve.ts';
import { type SetAllowance, serveSet } from '../../../../src/routes/sets/serve-set.ts';
import { itForEach } from '../../../support/each.ts';
import { sample, smallPhoto } from '../../../support/pictures.ts';
import { eventually } from '../../../support/time.ts';

const mebibyte = 2 ** 20;

/** A file of this length ends the thread that works on it, in the midst of that. */
const deadlyLength = 54_321;

let threads: PictureThreads;
let turns: Scheduler;
let folder: string;
let photo: Uint8Array<ArrayBuffer>;
/** What was booked, in the order of the ends of requests. */
let booked: unknown[] = [];
const errors = vi.spyOn(console, 'error').mockImplementation(() => {});

beforeAll(async () => {
  provideGlobals();
  const env = { ...process.env, NODE_ENV: undefined };
  execFileSync(process.execPath, [join(root, 'scripts/build-node.ts')], { env });
  folder = await mkdtemp(join(tmpdir(), 'threads-'));
  const built = pathToFileURL(join(root, 'dist/node/picture-thread.js')).href;
  const file = join(folder, 'mortal-thread.mjs');
  await writeFile(
    file,
    `import { parentPort } from 'node:worker_threads';
    import ${JSON.stringify(built)};
    parentPort.on('message', ({ file }) => {
      if (file?.length === ${deadlyLength}) setTimeout(() => process.exit(7));
    });`,
  );
  threads = await startThreads({
    threads: 2,
    memory: 256 * mebibyte,
    file: pathToFileURL(file) as URL,
  });
  turns = new Scheduler();
  turns.workAt(threads);
  photo = await smallPhoto();
});
afterEach(() => {
  booked = [];
  errors.mockClear();
});
afterAll(async () => {
  await threads.close();
  await rm(folder, { recursive: true });
});

/** The routes without what they reserve. */
const app = new Hono<KeyEnv>()
  .use(async (c, next) => {
    c.set('notes', {});
    await next();
  })
  .post('/:account/picture', async (c) => {
    const account = c.req.param('account');
    const allowance: Allowance = {
      account,
      permit: async () => {},
      settle: (end, sent) => void sent.then(() => booked.push(end)),
      giveBack: () => booked.push('given back'),
      remaining: () => 1,
    };
    const job = await turns.arrive(account, c.req.raw.signal);
    try {
      return await serveImage(c, job, allowance, respondingWithPicture(c, allowance));
    } finally {
      job.end();
    }
  })
  .post('/:account/set', async (c) => {
    const account = c.req.param('account');
    const allowance: SetAllowance = {
      account,
      reservedAt: Date.now(),
      permit: async () => 1,
      settle: (ends) => booked.push(ends.map(({ kind }) => kind)),
      giveBack: () => booked.push('given back'),
    };
    const job = await turns.arrive(account, c.req.raw.signal);
    try {
      return await serveSet(c, job, allowance);
    } catch (error) {
      job.end();
      throw error;
    }
  });
app.onError((error) => {
  const code = error instanceof ApiError ? error.code : `bug: ${error.message}`;
  return new Response(code, { status: 500 });
});

const work: Promise<unknown>[] = [];
const context = {
  waitUntil: (promise: Promise<unknown>) => void work.push(promise),
  passThroughOnException: () => {},
  props: {},
};

interface Call {
  readonly account?: string;
  readonly signal?: AbortSignal;
}

/** @param path `picture` or `set`, and a query */
function send(
  path: string,
  body: Uint8Array<ArrayBuffer>,
  { account = 'ann', signal }: Call = {},
): Promise<Response> {
  const request = new Request(`http://localhost/${account}/${path}`, {
    method: 'POST',
    headers: { 'Content-Length': String(body.length) },
    body: new Blob([body]).stream(),
    duplex: 'half',
    ...(signal && { signal }),
  } as RequestInit);
  return Promise.resolve(app.fetch(request, {} as never, context));
}

/** The status of an answer, when all of it has come and it is booked. */
async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.arrayBuffer();
  await pause(0);
  return response.status;
}

const statusesOf = (answers: Promise<Response>[]) => Promise.all(answers.map(statusOf));

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

/** A file that ends its thread: a photo, and what comes after its end. */
function deadly(): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(deadlyLength);
  file.set(photo.subarray(0, deadlyLength));
  return file;
}

describe('work on an image in a thread', () => {
  itForEach(
    ['keep', 'webp', 'avif'] as const,
    'gives the bytes of this thread as %s, and leaves no memory counted',
    async (format) => {
      const held = ledger.held;
      const response = await send(`picture?format=${format}&placeholder=thumbhash`, photo);
      const expected = await optimize(
        photo.slice(),
        readOptions({ format, placeholder: 'thumbhash' }),
      );
      expect(await bytesOf(response)).toEqual(expected.bytes);
      expect(response.headers.get('Image-Placeholder')).toBe(expected.placeholder);
      await eventually(async () => expect(booked).toMatchObject([{ charged: true }]));
      expect(ledger.held).toBe(held);
    },
  );

  it('goes on while another thread works, which takes longer', { tags: 'slow' }, async () => {
    const ended: string[] = [];
    const noted = async (name: string, response: Promise<Response>) => {
      expect(await statusOf(response)).toBe(200);
      ended.push(name);
    };
    const large = await sample('photo.jpg');
    await Promise.all([
      noted('long', send('picture?format=avif', large, { account: 'bob' })),
      noted('short', send('picture', photo)),
      noted('shorter', send('picture', await smallPhoto(100))),
    ]);
    expect(ended.at(-1)).toBe('long');
  });

  it('ends when the client leaves, and is booked as far as it came; then the thread is free', {
    tags: 'slow',
  }, async () => {
    const client = new AbortController();
    const large = await sample('phone.jpg');
    const gone = send('picture?format=avif', large, { signal: client.signal });
    await pause(1500);
    client.abort();
    expect(await (await gone).text()).toBe('invalid_request');
    await eventually(async () => expect(booked).toHaveLength(1));
    expect(booked).toMatchObject([{ answered: null, charged: false }]);
    const [{ cpuMs = 0 }] = booked as [{ cpuMs?: number }];
    expect(cpuMs).toBeGreaterThan(0);
    expect(cpuMs).toBeLessThan(10_000);
    expect(await statusesOf([send('picture', photo), send('picture', photo)])).toEqual([200, 200]);
  });

  it('is lost with a thread that dies: the answer is 503, nothing is booked, and a new thread does the next', {
    tags: 'slow',
  }, async () => {
    const held = ledger.held;
    const fates = await Promise.all([
      send('picture?format=avif', deadly()),
      send('picture', photo, { account: 'bob' }),
    ]);
    expect(await fates[0].text()).toBe('overloaded');
    expect(fates[1].status).toBe(200);
    await bytesOf(fates[1]);
    await eventually(async () => expect(booked).toHaveLength(2));
    expect(booked).toContain('given back');
    const event = { event: 'thread_ended', error: 'Error: the thread has ended' };
    expect(errors.mock.calls).toEqual([[event]]);
    const next = [1, 2, 3].map(() => send('picture', photo));
    expect(await statusesOf(next)).toEqual([200, 200, 200]);
    await eventually(async () => expect(ledger.held).toBe(held));
  });

  it('that takes longer than may be is given up, and counted as far as it was predicted', {
    tags: 'slow',
  }, async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const endless = send('picture?format=avif', await sample('phone.jpg'));
      await vi.waitFor(() => expect(turns.census.get('working')).toBe(1));
      vi.advanceTimersByTime(300_000);
      expect(await (await endless).text()).toBe('overloaded');
    } finally {
      vi.useRealTimers();
    }
    await eventually(async () => expect(booked).toHaveLength(1));
    expect(booked).toMatchObject([{ answered: null, charged: false }]);
    const [{ cpuMs = 0 }] = booked as [{ cpuMs?: number }];
    expect(cpuMs).toBeGreaterThan(0);
    expect(cpuMs).toBeLessThan(100_000);
  });

  it('is refused where no thread can be started any more, and done once one can', {
    tags: 'slow',
  }, async () => {
    const [file, whole] = [join(folder, 'failing.mjs'), join(folder, 'mortal-thread.mjs')];
    await copyFile(whole, file);
    const url = pathToFileURL(file) as URL;
    const failing = await startThreads({ threads: 1, memory: 256 * mebibyte, file: url });
    const [others, othersTurns] = [threads, turns];
    turns = new Scheduler();
    turns.workAt(failing);
    try {
      await writeFile(file, 'process.exit(1);');
      expect(await (await send('picture', deadly())).text()).toBe('overloaded');
      expect(await (await send('picture', photo)).text()).toBe('overloaded');
      await copyFile(whole, file);
      await eventually(async () => expect(await statusOf(send('picture', photo))).toBe(200));
    } finally {
      await failing.close();
      [threads, turns] = [others, othersTurns];
    }
  });

  it('that waits for a thread is not begun when its client leaves', { tags: 'slow' }, async () => {
    const large = await sample('photo.jpg');
    const others = ['ann', 'bob'].map((account) => send('picture?format=avif', large, { account }));
    await eventually(async () => expect(turns.census.get('working')).toBe(2));
    const client = new AbortController();
    const gone = send('picture', photo, { account: 'cid', signal: client.signal });
    await pause(100);
    client.abort();
    expect(await (await gone).text()).toBe('invalid_request');
    expect(booked).toEqual(['given back']);
    expect(await statusesOf(others)).toEqual([200, 200]);
  });

  it('may take as much memory as a thread has, which is more than on Workers', {
    tags: 'slow',
  }, async () => {
    const plain = { width: 6200, height: 6200, channels: 3, background: 'teal' } as const;
    const file = await sharp({ create: plain }).jpeg({ progressive: true }).toBuffer();
    const options = readOptions({ width: 400 });
    expect(() => createEngine().plan(Uint8Array.from(file), options)).toThrow('megapixels');
    expect(await statusOf(send('picture?width=400', Uint8Array.from(file)))).toBe(200);
  });

  it('that fails for a bug is an error of this thread, with its place in the code', async () => {
    const job = await turns.arrive('ann', new AbortController().signal);
    job.expect(0);
    const held = await job.admitted(photo.length);
    held.append(photo);
    held.complete();
    const options = readSetOptions({ widths: [100] });
    const set = planSet(held.bytes, options);
    await job.turn(set.cpuMs, set.peak);
    const doing = job.workplace.makePass(set, 99, { held, options, name: null }, () => {});
    await expect(doing.done(job)).rejects.toThrow(/no pass 99\n.*picture-thread\.js/);
    held.end();
    job.end();
    expect(await statusesOf([send('picture', photo), send('picture', photo)])).toEqual([200, 200]);
  });

  it('fails for a damaged picture as in this thread', async () => {
    const response = await send('picture?format=webp', photo.slice(0, photo.length / 2));
    expect(await response.text()).toBe('invalid_image');
    await eventually(async () => expect(booked).toHaveLength(1));
    expect(booked).toMatchObject([{ answered: null, charged: false }]);
  });
});

describe('a set', () => {
  it('is made in threads, with what its passes learn of each other', { tags: 'slow' }, async () => {
    const query = 'widths=100,200&formats=webp,jpeg&ratio=1:1&position=auto';
    const response = await send(`set?${query}`, photo);
    const files = unzipSync(await bytesOf(response));
    for (const width of [100, 200]) {
      for (const format of ['webp', 'jpeg'] as const) {
        const options = { width, height: width, fit: 'cover', position: 'auto', format } as const;
        const { bytes, extension } = await optimize(photo.slice(), readOptions(options));
        expect(files[`image-${width}.${extension}`], `${width} ${format}`).toEqual(bytes);
      }
    }
    await eventually(async () => expect(booked).toEqual([['left', 'left', 'left', 'left']]));
  });

  describe('of several passes, between which its clients are slow', () => {
    const widths = [100, 1500];
    let large: Uint8Array<ArrayBuffer>;
    let sets: Response[];
    beforeEach(async () => {
      large = await sample('photo.jpg');
      expect(planSet(large, readSetOptions({ widths })).passes.length).toBeGreaterThan(1);
      const accounts = ['ann', 'bob'];
      sets = await Promise.all(
        accounts.map((account) => send(`set?widths=${widths}`, large, { account })),
      );
    });
    afterEach(async () => {
      const { bytes } = await optimize(large.slice(), readOptions({ width: 1500 }));
      for (const response of sets) {
        const files = unzipSync(await bytesOf(response));
        expect(Object.keys(files)).toEqual(['image-100.jpg', 'image-1500.jpg', 'manifest.json']);
        expect(files['image-1500.jpg']).toEqual(bytes);
      }
      const both = ['left', 'left'];
      await eventually(async () => expect(booked.slice(-2)).toEqual([both, both]));
    });

    it('leaves its thread to others', { tags: 'slow' }, async () => {
      expect(await statusOf(send('picture', photo, { account: 'cid' }))).toBe(200);
    });

    it('loses nothing when all threads die meanwhile', { tags: 'slow' }, async () => {
      const deaths = ['cid', 'dan'].map((account) =>
        send('picture?format=avif', deadly(), { account }),
      );
      expect(await statusesOf(deaths)).toEqual([500, 500]);
      expect(errors).toHaveBeenCalledTimes(2);
    });
  });

  it('whose thread dies has an answer of 503 if there is no result yet', {
    tags: 'slow',
  }, async () => {
    const response = await send('set?widths=100,200&formats=avif', deadly());
    expect(await response.text()).toBe('overloaded');
    await eventually(async () => expect(booked).toHaveLength(1));
    expect(await statusOf(send('picture', photo))).toBe(200);
  });
});
