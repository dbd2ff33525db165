import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { root } from '../../scripts/local/root.ts';
import type { Client } from '../support/client.ts';
import { notRun, type Sample, samples } from '../support/docs/samples.ts';
import { madeGif } from '../support/gif-maker/gif-maker.ts';
import {
  lacksRequests,
  missingLanguages,
  type Outcome,
  runCode,
} from '../support/language-runtimes.ts';
import { smallLogo, smallPhoto } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

const run = samples.filter((sample) => !notRun.some(([, isMeant]) => isMeant(sample)));

/** The tabs of the languages of fences. */
const runtimes: Readonly<Record<string, string>> = {
  ...{ sh: 'curl', js: 'Node', python: 'Python', php: 'PHP', go: 'Go', ruby: 'Ruby' },
};

/** Calls of the functions that retry, which samples leave to their reader. */
const callers: Readonly<Record<string, string>> = {
  js: `import { readFile } from 'node:fs/promises';
console.log((await optimize(await readFile('photo.jpg'))).length, 'bytes');`,
  python: 'print(len(optimize(open("photo.jpg", "rb").read())), "bytes")',
  php: "echo strlen(optimize(file_get_contents('photo.jpg'))), ' bytes';",
};

let service: TestService;
let client: Client;
let folder: string;
let originals: string;
/** What is wrong, as the service says it. */
let wrong: { readonly key: string; readonly session: string };

beforeAll(async () => {
  service = await sharedTestService();
  client = await service.signedIn(`samples-${randomUUID()}@example.com`);
  const detailOf = async (path: string, headers: Record<string, string>) =>
    ((await (await service.fetch(path, { headers })).json()) as { detail: string }).detail;
  wrong = {
    key: await detailOf('/v1/quota', { Authorization: 'Bearer fewer_wrong' }),
    session: await detailOf('/v1/me', { Cookie: 'sid=wrong' }),
  };
  originals = await mkdtemp(join(tmpdir(), 'samples-'));
  const photo = await smallPhoto();
  await writeFile(join(originals, 'photo.jpg'), photo);
  await writeFile(join(originals, 'logo.png'), await smallLogo());
  await writeFile(join(originals, 'moving.gif'), movingGif());
  for (const name of ['images', 'photos']) {
    await mkdir(join(originals, name));
    await writeFile(join(originals, name, 'photo.jpg'), photo);
  }
  await symlink(join(root, 'node_modules'), join(originals, 'node_modules'));
  await mkdir(join(originals, 'bin'));
  const command = join(originals, 'bin/fewerbytes');
  const program = join(root, 'packages/fewerbytes/dist/bin.js');
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  await chmod(command, 0o755);
  // Compiled once, so that no test waits for it.
  if (!missingLanguages.has('Go')) execFileSync('go', ['build', 'net/http']);
});
afterAll(async () => {
  await service?.close();
  if (originals) await rm(originals, { recursive: true });
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sample-'));
  await cp(originals, folder, { recursive: true, verbatimSymlinks: true });
  return () => rm(folder, { recursive: true });
});

/** Two frames in which all pixels change. */
function movingGif(): Uint8Array {
  const size = 40;
  const globalTable = Array.from({ length: 3 * 256 }, (_, i) => Math.floor(i / 3));
  const frame = (by: number) => ({
    ...{ width: size, height: size, control: { delay: 10 } },
    indices: Uint8Array.from({ length: size * size }, (_, i) => (i * by) % 251),
  });
  return madeGif({ width: size, height: size, globalTable, frames: [frame(3), frame(7)] });
}

/** Runs a sample with a key and a session cookie, for a key and a site that there are. */
async function outcomeOf(sample: Sample, key: string, session: string): Promise<Outcome> {
  const { language, code } = sample;
  let text = code
    .replaceAll('http://localhost:8787', service.url.origin)
    .replaceAll('test/support/samples/', '')
    .replace(/^KEY=\$\(npm .*\n/, '')
    .replace('fewer_…', '$KEY')
    .replace('"slug": "shop"', `"slug": "shop-${randomUUID().slice(0, 8)}"`);
  for (const [id] of text.matchAll(/(?:key|site)_Xk2v9QmB7sLwD4tR/g)) {
    text = text.replaceAll(id, await madeId(id));
  }
  if (/^(?:async function|def|function) optimize/m.test(text)) text += `\n${callers[language]}`;
  const env = {
    ...{ KEY: key, SESSION: session, PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
    // The cache of the command; that of Go is shared.
    ...(code.includes('fewerbytes') ? { XDG_CACHE_HOME: folder } : {}),
    ...{ FEWERBYTES_URL: service.url.origin, FEWERBYTES_KEY: key },
  };
  return runCode(runtimes[language] ?? '', text, { folder, name: 'sample', env });
}

/** The id of a new key or site of the account that is signed in. */
async function madeId(example: string): Promise<string> {
  const slug = `sample-${randomUUID().slice(0, 8)}`;
  const response = example.startsWith('key')
    ? await client.post('/v1/keys', { name: slug })
    : await client.post('/v1/sites', { name: slug, slug, source: 'https://images.example/' });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

async function newFiles(): Promise<readonly string[]> {
  const before = new Set([...(await readdir(originals)), 'fewerbytes']);
  return (await readdir(folder)).filter((name) => !before.has(name) && !name.startsWith('sample.'));
}

describe('the table of samples that are not run', () => {
  it('has reasons that there are samples for, and leaves enough to run', () => {
    for (const [reason, isMeant] of notRun) expect(samples.some(isMeant), reason).toBe(true);
    expect(run.length).toBeGreaterThan(60);
  });
});

describe.each(run)('$name', { tags: 'slow' }, (sample) => {
  const { language, code } = sample;
  const runtime = runtimes[language] ?? '';
  beforeEach(({ skip }: TestContext) => {
    skip(missingLanguages.has(runtime), `${runtime} cannot be run here`);
    skip(lacksRequests && code.includes('import requests'), 'requests is not installed here');
  });

  // A test has no server in the internet.
  it.skipIf(code.includes('https://images.example/'))('does what it says', async () => {
    const { status, stdout, stderr } = await outcomeOf(sample, service.key, client.cookie('sid'));
    expect(status, stdout + stderr).toBe(0);
    const files = await newFiles();
    expect(files).not.toContain('answer');
    if (/\bmv answer\b/.test(code)) expect(files.length).toBeGreaterThan(0);
  });

  it.skipIf(code.includes('/v1/health'))(
    'says with a wrong key what is wrong, and puts nothing in the place of an image',
    async () => {
      const { status, stdout, stderr } = await outcomeOf(sample, 'fewer_wrong', 'wrong');
      const shown = code.includes('/shrink') ? 'Credentials are invalid' : undefined;
      const detail = shown ?? (code.includes('$SESSION') ? wrong.session : wrong.key);
      // Most show the body as it came; the package has a sentence of its own, which names its variable.
      const text = (stdout + stderr).replaceAll('\\"', '"');
      if (code.includes('fewerbytes')) expect(text).toMatch(/API key|FEWERBYTES_KEY/);
      else expect(text).toContain(detail);
      const fallsBack = code.includes('cp photo.jpg smaller.jpg');
      expect(status === 0).toBe(fallsBack);
      const files = await newFiles();
      expect(files.filter((name) => name !== 'answer')).toEqual(fallsBack ? ['smaller.jpg'] : []);
    },
  );
});
