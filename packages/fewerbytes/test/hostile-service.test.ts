import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { itForEach } from '../../../test/support/each.ts';
import { sample } from '../../../test/support/pictures.ts';
import { Client } from '../src/client/client.ts';
import { command, linesOf } from './support/command.ts';
import { contents, halved, jpegLike, newFolder, writeJpegs } from './support/folders.ts';
import { half, image, StandIn } from './support/stand-in.ts';

const key = `fewer_${'k'.repeat(40)}`;
let standIn: StandIn;
let cwd: string;
const run = (...args: readonly string[]) =>
  command(['.', '--concurrency', '1', ...args], { cwd, url: standIn.origin, key });

beforeEach(async () => {
  standIn = await new StandIn().start();
  cwd = await newFolder(onTestFinished);
});

afterEach(() => standIn.stop());

/** Whether the images are as `writeJpegs` has left them. */
async function expectOriginals(count: number): Promise<void> {
  const all = await contents(cwd);
  for (let number = 0; number < count; number += 1) {
    expect(all.get(`photo ${number}.jpg`)).toEqual(jpegLike(number));
  }
}

describe('results', () => {
  it.each([
    ['text', (body: Buffer) => Buffer.from('not an image at all').subarray(0, body.length), {}],
    ['an image of another type', (body: Buffer) => body.subarray(0, 9), { type: 'image/webp' }],
    [
      'a type that is no image of ours',
      (body: Buffer) => body.subarray(0, 9),
      { type: 'image/svg+xml' },
    ],
    ['nothing', () => Buffer.alloc(0), {}],
    ['the first bytes of an image', (body: Buffer) => body.subarray(0, 8), {}],
  ])(
    '%s in the place of an image replaces no file',
    { tags: 'slow' },
    async (_, make, { type = 'image/jpeg' }: { type?: string }) => {
      await writeJpegs(cwd, 2);
      standIn.answer = (response, { body }) =>
        image(response, body, make(body), { 'Content-Type': type });
      const ended = await run();
      expect(ended.code).toBe(1);
      expect(ended.out).toContain('unexpected_answer');
      await expectOriginals(2);
    },
  );

  it('one that is cut short is asked for again, and does not end the run', async () => {
    await writeJpegs(cwd, 3);
    standIn.next.push((response, { body }) =>
      image(response, body, body.subarray(0, 500), { 'Image-Output-Bytes': '1000' }),
    );
    const ended = await run();
    expect(ended.code).toBe(0);
    expect(ended.out).toContain('3 optimized. 4 requests sent');
  });

  it('without an end are given up', { tags: 'slow' }, async () => {
    await writeJpegs(cwd, 1);
    standIn.answer = async (response) => {
      response.writeHead(200, { 'Content-Type': 'image/jpeg' });
      const chunk = Buffer.alloc(2 ** 20);
      while (!response.destroyed) {
        if (!response.write(chunk))
          await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
    };
    const ended = await run();
    expect(ended.code).toBe(1);
    expect(ended.out).toContain('the response is too long');
    await expectOriginals(1);
  });

  it('without the number of files left have no such number in the summary', {
    tags: 'slow',
  }, async () => {
    await writeJpegs(cwd, 1);
    standIn.answer = (response, { body }) =>
      image(response, body, halved(body), { 'Quota-Remaining': 'many' });
    const { out } = await run();
    expect(out).toContain('1 optimized');
    expect(out).not.toContain('left on the account');
  });
});

describe('results for real images', () => {
  const [width, height] = [96, 64];

  /** How a picture is written as the original, and as a smaller file of the same type. */
  const qualities = {
    jpeg: [{ quality: 100 }, { quality: 40 }],
    png: [{ compressionLevel: 0 }, { compressionLevel: 9 }],
    webp: [{ quality: 100 }, { quality: 20 }],
    avif: [
      { quality: 100, effort: 0 },
      { quality: 20, effort: 0 },
    ],
  } as const;
  type Type = keyof typeof qualities;
  const types = Object.keys(qualities) as Type[];

  /** What the service makes of the smaller file. */
  interface Fake {
    readonly type: Type;
    readonly make: (smaller: Buffer) => Buffer | Promise<Buffer>;
    /** The size in its headers. Default: that of the original. */
    readonly stated?: readonly [width: number, height: number];
  }

  /** Runs over one image for each fake. Returns the lines of the report, and the originals and results by name. */
  async function runOver(fakes: Readonly<Record<string, Fake>>) {
    const photo = await sharp(await sample('photo.jpg'))
      .resize(200)
      .png()
      .toBuffer();
    const files = await Promise.all(
      Object.entries(fakes).map(async ([name, { type, make, stated = [width, height] }], at) => {
        // each is another part of the photo, by which its request is known
        const part = sharp(photo).extract({ left: at, top: 0, width, height });
        const [before, after] = qualities[type];
        const original = await part.clone().toFormat(type, before).toBuffer();
        const result = await make(await part.clone().toFormat(type, after).toBuffer());
        await writeFile(join(cwd, name), original);
        const headers = {
          'Content-Type': `image/${type}`,
          'Image-Input-Type': `image/${type}`,
          'Image-Width': String(stated[0]),
          'Image-Height': String(stated[1]),
        };
        return { name, original, result, headers };
      }),
    );
    standIn.answer = (response, { body }) => {
      const file = files.find(({ original }) => original.equals(body));
      if (file) image(response, body, file.result, file.headers);
    };
    const setting = { cwd, url: standIn.origin, key };
    const { out } = await command(['.', '--json', '--concurrency', '20'], setting);
    const lines = linesOf(out).filter(({ type }) => type === 'file');
    expect(lines).toHaveLength(files.length);
    return { files, lines };
  }

  async function expectRefusals(fakes: Readonly<Record<string, Fake>>, complaint: string) {
    const { files, lines } = await runOver(fakes);
    for (const line of lines) {
      const detail = expect.stringContaining(complaint);
      expect(line).toMatchObject({
        status: 'failed',
        error: { code: 'unexpected_answer', detail },
      });
    }
    const after = await contents(cwd);
    for (const { name, original } of files) expect(after.get(name), name).toEqual(original);
  }

  it('are used if they are whole', { tags: 'slow' }, async () => {
    const named = types.map((type) => [`photo.${type}`, { type, make: (whole: Buffer) => whole }]);
    const { files, lines } = await runOver(Object.fromEntries(named));
    for (const line of lines) expect(line).toMatchObject({ status: 'optimized' });
    const after = await contents(cwd);
    for (const { name, result } of files) expect(after.get(name), name).toEqual(result);
  });

  const squashed = (width: number, height: number) => (smaller: Buffer) =>
    sharp(smaller).resize(width, height, { fit: 'fill' }).toBuffer();

  it('replace no file if they have another size, whatever the headers say', {
    tags: 'slow',
  }, async () => {
    const fakes = types.flatMap((type): [string, Fake][] => [
      [`small.${type}`, { type, make: squashed(20, 10) }],
      [`small by its headers.${type}`, { type, make: squashed(20, 10), stated: [20, 10] }],
      [`turned.${type}`, { type, make: squashed(height, width) }],
    ]);
    await expectRefusals(Object.fromEntries(fakes), 'it does not have 96 × 64 pixels');
  });

  it('replace no file if they are damaged behind their headers', { tags: 'slow' }, async () => {
    const end = Buffer.from('ffd9', 'hex');
    /** Where the data of a scan of three components begin. */
    const dataOf = (jpeg: Buffer) => jpeg.indexOf('ffda', 0, 'hex') + 14;
    const fakes: Record<string, Fake> = {
      'cut, with an end.jpg': {
        type: 'jpeg',
        make: (whole) => Buffer.concat([whole.subarray(0, whole.length / 2), end]),
      },
      'without data.jpg': {
        type: 'jpeg',
        make: (whole) => Buffer.concat([whole.subarray(0, dataOf(whole)), end]),
      },
      'zeros for four fifths.jpg': {
        type: 'jpeg',
        make: (whole) => {
          const data = dataOf(whole);
          const zeros = Math.ceil(0.8 * (whole.length - data));
          return Buffer.from(whole).fill(0, whole.length - zeros, whole.length - end.length);
        },
      },
      'overwritten.png': {
        type: 'png',
        make: (whole) => {
          const data = whole.indexOf('IDAT') + 20;
          return Buffer.from(whole).fill(0xaa, data, data + 200);
        },
      },
      'cut, with lengths to match.webp': {
        type: 'webp',
        make: (whole) => {
          const half = Buffer.from(whole.subarray(0, (whole.length >> 1) & ~1));
          half.writeUInt32LE(half.length - 8, 4);
          half.writeUInt32LE(half.length - 20, 16);
          return half;
        },
      },
    };
    await expectRefusals(fakes, 'it is damaged or incomplete');
  });
});

describe('a service that is not there', () => {
  const expectFewRequests = async (url: string, text: string) => {
    await writeJpegs(cwd, 20);
    const { code, out } = await command(['.', '--json'], { cwd, url, key });
    expect(code).toBe(1);
    const lines = linesOf(out);
    expect(lines).toHaveLength(21);
    for (const line of lines.slice(0, 20)) {
      expect(line).toMatchObject({
        status: 'failed',
        error: { detail: expect.stringContaining(text) },
      });
    }
    expect(lines.at(-1)).toMatchObject({ failed: 20, stop: 'unreachable' });
    return Number(lines.at(-1)?.requests);
  };

  itForEach<readonly [url: string, text: string]>(
    [
      ['https', 'cannot be reached (ERR_SSL'],
      ['http://localhost:6000', 'cannot be reached (bad port)'],
    ],
    '%s is noticed after the tries for the first images',
    async (url, text) => {
      const https = standIn.origin.replace('http:', 'https:');
      expect(await expectFewRequests(url === 'https' ? https : url, text)).toBeLessThanOrEqual(12);
    },
  );

  it('that never responds is given up after five minutes, and the image is not sent again', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const inHundredths = vi
      .spyOn(AbortSignal, 'timeout')
      .mockImplementation((milliseconds) => timeout(milliseconds / 100));
    onTestFinished(() => inHundredths.mockRestore());
    standIn.answer = () => {};
    const client = new Client({ url: standIn.origin, key });
    await expect(client.optimize(new Uint8Array(jpegLike(0)), {})).rejects.toMatchObject({
      code: 'timeout',
    });
    expect(inHundredths).toHaveBeenCalledExactlyOnceWith(300_000);
    expect(standIn.seen).toHaveLength(1);
  });

  it('a server that breaks off every connection is given up after some images', {
    tags: 'slow',
  }, async () => {
    standIn.answer = (response) => {
      response.destroy();
    };
    expect(await expectFewRequests(standIn.origin, 'broke off the connection')).toBeLessThanOrEqual(
      30,
    );
  });
});

describe('errors', () => {
  it('a redirect is not followed: neither key nor image goes to another host', {
    tags: 'slow',
  }, async () => {
    const other = await new StandIn().start();
    onTestFinished(() => other.stop());
    await writeJpegs(cwd, 2);
    standIn.answer = (response) => {
      response.writeHead(307, { Location: `${other.origin}/v1/optimize` }).end();
    };
    const ended = await run();
    expect(ended.code).toBe(1);
    expect(ended.out).toContain(`FEWERBYTES_URL is redirected to ${other.origin}: set it to`);
    expect(standIn.seen).toHaveLength(1);
    expect(other.seen).toHaveLength(0);
    await expectOriginals(2);
  });

  it('a proxy that refuses one image does not end the run', { tags: 'slow' }, async () => {
    await writeJpegs(cwd, 3);
    standIn.next.push((response) => {
      response.writeHead(413, { 'Content-Type': 'text/html' }).end('<h1>Too large</h1>');
    });
    const ended = await run('--json');
    expect(ended.code).toBe(1);
    expect(linesOf(ended.out)).toMatchObject([
      { status: 'failed', error: { code: 'unexpected_answer', status: 413 } },
      { status: 'optimized' },
      { status: 'optimized' },
      { failed: 1, optimized: 2, stop: null },
    ]);
  });

  itForEach(
    [401, 404, 405],
    'a server that knows no such call, %d, is asked once',
    async (status) => {
      await writeJpegs(cwd, 3);
      standIn.answer = (response) => {
        response.writeHead(status, { 'Content-Type': 'text/html' }).end('<h1>What?</h1>');
      };
      const ended = await run();
      expect(ended.code).toBe(1);
      expect(ended.out).toContain(`answered, with status ${status}: check FEWERBYTES_URL`);
      expect(standIn.seen).toHaveLength(1);
    },
  );

  it('that echo the key are shown without it', { tags: 'slow' }, async () => {
    await writeJpegs(cwd, 1);
    standIn.answer = (response, { key: echoed }) => {
      const problem = {
        code: `wrong_${echoed}`,
        detail: `No ${echoed}`,
        type: `a://${echoed}`,
        request_id: echoed,
      };
      response.writeHead(400, { 'Content-Type': 'application/problem+json' });
      response.end(JSON.stringify(problem));
    };
    for (const args of [[], ['--json']]) {
      const { out, err } = await run(...args);
      expect(out).toContain('No fewer_…');
      expect(out + err).not.toContain(key);
    }
  });

  it('have no control characters on a terminal, and no form or length but their own', async () => {
    await writeJpegs(cwd, 3);
    const answers = [
      { code: 'c\x1b[31m', detail: 'd\x1b]0;title\x07\nline', type: 't\x1b' },
      { code: {}, detail: [] },
      { code: 'long', detail: 'x'.repeat(100_000) },
    ];
    for (const problem of answers) {
      standIn.next.push((response) => {
        response.writeHead(400, { 'Content-Type': 'application/problem+json' });
        response.end(JSON.stringify(problem));
      });
    }
    const { out } = await run();
    for (const text of ['\x1b', '\x07', '[object', 'xxxx']) expect(out).not.toContain(text);
    expect(out).toContain('c\ufffd[31m: d\ufffd]0;title\ufffd\ufffdline');
  });

  itForEach(
    ['-5', '1.5', '0', '1, 2', 'Thu, 01 Jan 1970 00:00:00 GMT'],
    'Retry-After: %s is no reason to send again at once',
    async (text) => {
      await writeJpegs(cwd, 1);
      standIn.next.push((response) => {
        response.writeHead(503, { 'Retry-After': text }).end();
      });
      standIn.answer = half;
      expect((await run()).code).toBe(0);
      const [first, second] = standIn.seen;
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(450);
    },
  );
});
