import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { snippets } from '../../src/cabinet/text/snippets.ts';
import { plainPicture } from '../support/pictures.ts';
import { startTestService, type TestService } from '../support/service.ts';

const run = promisify(execFile);

/** How the code of each language is run, and how to find out whether it can be. */
const interpreters: Readonly<Record<string, { file: string; run: string[]; check: string[] }>> = {
  curl: { file: 'call.sh', run: ['sh'], check: ['curl', '--version'] },
  Node: { file: 'call.mjs', run: [process.execPath], check: [process.execPath, '--version'] },
  Python: { file: 'call.py', run: ['python3'], check: ['python3', '-c', 'import requests'] },
  PHP: { file: 'call.php', run: ['php'], check: ['php', '-r', 'curl_version();'] },
};

function canRun(name: string): boolean {
  const [command = '', ...args] = interpreters[name]?.check ?? [];
  return spawnSync(command, args).status === 0;
}

let service: TestService;
let photo: Buffer;
let folder: string;
beforeAll(async () => {
  service = await startTestService();
  photo = await plainPicture(200, 150).jpeg({ quality: 97 }).toBuffer();
});
afterAll(() => service.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'snippets-'));
  await writeFile(join(folder, 'photo.jpg'), photo);
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs a snippet beside the photo, with this key in the code or in the environment. */
async function call(name: string, key: string, isInCode: boolean): Promise<string> {
  const { file = '', run: [command = '', ...args] = [] } = interpreters[name] ?? {};
  const found = snippets(service.url.origin, isInCode ? key : null).find(
    (one) => one.name === name,
  );
  await writeFile(join(folder, file), found?.code ?? '');
  const env = { ...process.env, KEY: isInCode ? '' : key };
  const { stdout } = await run(command, [...args, file], { cwd: folder, env });
  return stdout;
}

describe.each(snippets('', null))('the snippet for $name', ({ name }) => {
  it.skipIf(!canRun(name)).each([
    ['code', true],
    ['environment', false],
  ])('with the key in the %s saves a smaller image and prints one line', async (_, isInCode) => {
    const printed = await call(name, service.key, isInCode);
    const smaller = await readFile(join(folder, 'smaller.jpg'));
    expect(smaller.length).toBeLessThan(photo.length);
    expect(smaller.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
    expect(printed).toMatch(
      new RegExp(`^(HTTP 200: )?${photo.length} → ${smaller.length} bytes\n$`),
    );
  });

  it.skipIf(!canRun(name))('fails on an error, and writes no file', async () => {
    await expect(call(name, 'imgo_wrong', true)).rejects.toThrow(/401|invalid_api_key/);
    expect(await readdir(folder)).not.toContain('smaller.jpg');
  });
});
