import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  type TestContext,
} from 'vitest';
import { snippets } from '../../src/cabinet/text/snippets.ts';
import { fileOf, missingLanguages, type Outcome, runCode } from '../support/language-runtimes.ts';
import { plainPicture } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

let service: TestService;
let photo: Buffer;
let folder: string;
beforeAll(async () => {
  service = await sharedTestService();
  photo = await plainPicture(200, 150).jpeg({ quality: 97 }).toBuffer();
  // Compiled once, so that no test waits for it.
  if (!missingLanguages.has('Go')) execFileSync('go', ['build', 'net/http']);
});
afterAll(() => service.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'snippets-'));
  await writeFile(join(folder, 'photo.jpg'), photo);
});
afterEach(() => rm(folder, { recursive: true }));

interface Call {
  readonly origin?: string;
  readonly key?: string;
  readonly isKeyInCode?: boolean;
  readonly query?: string;
}

/** Runs a snippet next to the photo, with a key in the code or in the environment. */
async function outcomeOf(name: string, call: Call = {}): Promise<Outcome> {
  const { origin = service.url.origin, key = service.key, isKeyInCode = true, query } = call;
  const all = snippets(origin, isKeyInCode ? key : null, query);
  const code = all.find((one) => one.name === name)?.code ?? '';
  const env = { KEY: isKeyInCode ? '' : key };
  return runCode(name, code, { folder, name: 'optimize', env });
}

function output(file: string): Promise<Buffer> {
  return readFile(join(folder, file));
}

/** Runs work with a server that behaves differently from the service. */
async function withOrigin<T>(
  answer: Parameters<typeof createServer>[1] | null,
  call: (origin: string) => Promise<T>,
): Promise<T> {
  const server = createServer(answer ?? undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // Nobody listens there any more.
  if (answer === null) server.close();
  try {
    return await call(`http://127.0.0.1:${port}`);
  } finally {
    server.close();
  }
}

describe.each(snippets('', null))('the snippet for $name', ({ name }) => {
  beforeEach(({ skip }: TestContext) =>
    skip(missingLanguages.has(name), `${name} cannot be run here`),
  );

  it.each([
    ['code', true],
    ['environment', false],
  ])(
    'with the key in the %s saves a smaller image, and prints its size',
    async (_, isKeyInCode) => {
      const { status, stdout, stderr } = await outcomeOf(name, { isKeyInCode });
      expect([status, stderr]).toEqual([0, '']);
      const smaller = await output('smaller.jpg');
      expect(smaller.length).toBeLessThan(photo.length);
      expect(smaller.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
      const line = `${photo.length} → ${smaller.length} bytes\n`;
      expect(stdout).toBe(name === 'curl' ? '' : line);
      const files = ['photo.jpg', fileOf(name, 'optimize'), 'smaller.jpg'];
      expect(await readdir(folder)).toEqual(files.sort());
    },
  );

  it('with options saves what was asked for under its ending', async () => {
    const { status } = await outcomeOf(name, { query: 'format=webp&width=100' });
    expect(status).toBe(0);
    const smaller = await output('smaller.webp');
    expect(smaller.subarray(8, 12).toString()).toBe('WEBP');
  });

  it('says what is wrong with the key, and leaves an older file as it was', {
    tags: 'slow',
  }, async () => {
    const key = 'fewer_wrong';
    const headers = { Authorization: `Bearer ${key}` };
    const refused = await service.fetch('/v1/optimize', { method: 'POST', body: photo, headers });
    const { code, detail } = (await refused.json()) as { code: string; detail: string };
    expect(code).toBe('invalid_api_key');

    await writeFile(join(folder, 'smaller.jpg'), 'older');
    const { status, stdout, stderr } = await outcomeOf(name, { key });
    expect(status).not.toBe(0);
    const [problem, other] = name === 'curl' ? [stdout, stderr] : [stderr, stdout];
    expect(problem).toContain(`"code":"${code}"`);
    expect(problem).toContain(JSON.stringify(detail));
    expect(other).toMatch(name === 'curl' ? /error: 401\n$/ : /^$/);
    expect(await output('smaller.jpg')).toEqual(Buffer.from('older'));
    const files = ['photo.jpg', fileOf(name, 'optimize'), 'smaller.jpg'];
    if (name === 'curl') files.push('answer');
    expect(await readdir(folder)).toEqual(files.sort());
  });

  it('writes nothing when the key is refused', { tags: 'slow' }, async () => {
    expect((await outcomeOf(name, { key: 'fewer_wrong' })).status).not.toBe(0);
    expect(await readdir(folder)).not.toContain('smaller.jpg');
  });

  it('says that the service cannot be reached, and writes nothing', { tags: 'slow' }, async () => {
    const { status, stdout, stderr } = await withOrigin(null, (origin) =>
      outcomeOf(name, { origin }),
    );
    expect(status).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/connect|refused/i);
    expect(await readdir(folder)).not.toContain('smaller.jpg');
  });

  it('does not take the first half of an image for all of it', { tags: 'slow' }, async () => {
    const { status, stdout } = await withOrigin(
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': photo.length });
        response.write(photo.subarray(0, photo.length / 2), () => response.destroy());
      },
      (origin) => outcomeOf(name, { origin }),
    );
    expect(status).not.toBe(0);
    if (name !== 'curl') expect(stdout).toBe('');
    expect(await readdir(folder)).not.toContain('smaller.jpg');
  });

  // curl has no option that looks at the content type; two lines that can be read are worth more.
  it.skipIf(name === 'curl').each([
    ['a redirect', 301, { Location: '/elsewhere', 'Content-Type': 'text/html' }, 'moved'],
    ['a page of a proxy', 200, { 'Content-Type': 'text/html' }, 'please sign in'],
    ['nothing', 204, {}, ''],
  ] as const)(
    'does not take %s for an image',
    { tags: 'slow' },
    async (_, status, headers, body) => {
      await writeFile(join(folder, 'smaller.jpg'), 'older');
      const outcome = await withOrigin(
        (request, response) => {
          request.resume();
          response.writeHead(request.url === '/elsewhere' ? 200 : status, headers);
          response.end(body);
        },
        (origin) => outcomeOf(name, { origin }),
      );
      expect([outcome.status === 0, outcome.stdout]).toEqual([false, '']);
      expect(await output('smaller.jpg')).toEqual(Buffer.from('older'));
    },
  );
});
