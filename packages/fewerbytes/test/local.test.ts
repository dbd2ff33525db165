import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { smallLogo, smallPhoto } from '../../../test/support/pictures.ts';
import type * as Package from '../src/engine/index.ts';
import type * as Files from '../src/files/index.ts';
import { bin, command, linesOf, Running, start, systemNode } from './support/command.ts';
import { contents, newFolder } from './support/folders.ts';

const samples = join(import.meta.dirname, '../../../test/support/samples');
const dist = (name: string) => join(import.meta.dirname, '../dist', name);
const { optimize }: typeof Package = await import(dist('index.js'));
const files: typeof Files = await import(dist('files.js'));
let cwd: string;
const run = (...args: readonly string[]) => command(args, { cwd });

beforeEach(async () => {
  cwd = await newFolder(onTestFinished);
});

/** Pictures of noise, each its own, as PNG files. */
async function writePictures(folder: string, count: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let number = 0; number < count; number += 1) {
    const noise = { type: 'gaussian' as const, mean: 40 + number, sigma: 20 };
    const create = { width: 160, height: 120, channels: 3 as const, background: '#888', noise };
    await writeFile(join(folder, `${number}.png`), await sharp({ create }).png().toBuffer());
  }
}

describe('on this machine', () => {
  it('a folder becomes what the engine makes of it, in place; a second run does nothing', async () => {
    await writeFile(join(cwd, 'photo.jpg'), await smallPhoto());
    await writeFile(join(cwd, 'logo.png'), await smallLogo());
    const before = await contents(cwd);
    const first = await run('.', '--metadata', 'copyright');
    expect(first.err).toBe('');
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/2 optimized. 0 known from the cache. Peak memory: \d+.\d MB.\n$/);
    const after = await contents(cwd);
    for (const [name, bytes] of before) {
      const made = await optimize(bytes, { metadata: 'copyright' });
      expect(after.get(name)?.equals(made.bytes), name).toBe(true);
    }
    const second = await run('.', '--metadata', 'copyright');
    expect(second.out).toContain('2 cannot be smaller. 2 known from the cache.');
    expect(await contents(cwd)).toEqual(after);
  });

  it('a placeholder is that of the file that is there, from the cache as well', {
    tags: 'slow',
  }, async () => {
    const red = { width: 40, height: 40, channels: 3 as const, background: '#f00' };
    const tiny = await sharp({ create: red }).png({ palette: true }).toBuffer();
    await writeFile(join(cwd, 'tiny.png'), tiny);
    await copyFile(join(samples, 'photo.jpg'), join(cwd, 'photo.jpg'));
    const box = ['--width', '300', '--height', '300', '--fit', 'contain'];
    const asked = ['.', '--out', 'out', '--json', '--placeholder', 'thumbhash', ...box];
    const filesOf = async () => {
      const { out } = await run(...asked);
      return linesOf(out)
        .slice(0, -1)
        .map(({ path, status, placeholder }) => ({ path, status, placeholder }))
        .sort((a, b) => `${a.path}`.localeCompare(`${b.path}`));
    };
    const photo = await optimize(await readFile(join(samples, 'photo.jpg')), {
      ...{ width: 300, height: 300, fit: 'contain', placeholder: 'thumbhash' },
    });
    const first = await filesOf();
    expect(first).toEqual([
      { path: 'photo.jpg', status: 'optimized', placeholder: photo.placeholder },
      // Margins take more bytes than the file, which stays as it is.
      { path: 'tiny.png', status: 'kept', placeholder: null },
    ]);
    expect(await filesOf()).toEqual(first);
  });

  it('a service of the environment is asked, unless --local forbids it', {
    tags: 'slow',
  }, async () => {
    await writeFile(join(cwd, 'logo.png'), await smallLogo());
    const nowhere = { cwd, url: 'http://localhost:1', key: 'fewer_of_a_test' };
    const sent = await command(['.'], nowhere);
    expect(sent.code).toBe(1);
    expect(sent.out).toContain('network: The service cannot be reached');
    const kept = await command(['.', '--local', '--json'], nowhere);
    expect(kept.code).toBe(0);
    expect(linesOf(kept.out).at(-1)).toMatchObject({
      optimized: 1,
      requests: null,
      peakMemory: expect.any(Number),
    });
  });

  it('without a place for results nothing is done, and both commands are shown', {
    tags: 'slow',
  }, async () => {
    await copyFile(join(samples, 'logo.png'), join(cwd, 'a logo.png'));
    const before = await contents(cwd);
    const ended = await new Running([bin, 'a logo.png', '--watch'], { cwd }).ended;
    expect(ended.code).toBe(2);
    expect(ended.out).toBe('');
    expect(ended.err).toContain("  fewerbytes --in-place 'a logo.png' --watch\n");
    expect(ended.err).toContain("  fewerbytes --out smaller 'a logo.png' --watch\n");
    expect(await contents(cwd)).toEqual(before);
    const settings = { cwd, cache: false } as const;
    for (const place of [{}, { inPlace: false }, { inPlace: true, out: 'out' }]) {
      const promise = files.optimizeFiles(['.'], { ...settings, ...place });
      await expect(promise).rejects.toThrow(RangeError);
    }
    await expect(files.optimizeFiles(['.'])).rejects.toThrow('Say where results go');
    const both = files.optimizeFiles(['.'], { ...settings, inPlace: true, out: 'out' });
    await expect(both).rejects.toThrow('`inPlace: true` and `out` exclude each other.');
    for (const place of [{ dryRun: true }, { write: false }]) {
      expect((await files.optimizeFiles(['.'], { ...settings, ...place })).files).toHaveLength(1);
    }
    expect(await contents(cwd)).toEqual(before);
  });

  it('unknown settings are refused by name, options among them, and so is a text in the place of the list', {
    tags: 'slow',
  }, async () => {
    const path = join(samples, 'logo.png');
    for (const [name, hint] of [
      ['format', ', but an option: write "options: { format: … }".'],
      ['among', ', but an option: write "options: { among: … }".'],
      ['max_bytes', '.'],
      ['toString', '.'],
    ]) {
      const given: object = { cache: false, [String(name)]: 'webp' };
      const error = new RangeError(`"${name}" is not a setting${hint}`);
      await expect(files.optimize(path, given)).rejects.toThrow(error);
      const many = files.optimizeFiles([path], { ...given, write: false });
      await expect(many).rejects.toThrow(error);
    }
    const text = files.optimizeFiles('./' as unknown as string[], { cwd, inPlace: true });
    await expect(text).rejects.toThrow('in a list');
    await expect(files.optimize(7 as never)).rejects.toThrow('image must be');
    const image = new Blob([await readFile(path)]);
    const unset = files.optimize(image, { cache: false, format: undefined } as object);
    expect((await unset).kind).toBe('smaller');
  });

  it('damaged files and options that do not apply fail with the codes of the service', async () => {
    await copyFile(join(samples, 'logo.png'), join(cwd, 'logo.png'));
    const photo = await readFile(join(samples, 'photo.jpg'));
    await writeFile(join(cwd, 'broken.jpg'), photo.subarray(0, 9000));
    const ended = await run('.', '--format', 'jpeg', '--json');
    expect(ended.code).toBe(1);
    expect(linesOf(ended.out).filter(({ type }) => type === 'file')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          path: 'broken.jpg',
          error: expect.objectContaining({ code: 'invalid_image', status: null }),
        }),
        expect.objectContaining({
          path: 'logo.png',
          error: expect.objectContaining({ code: 'invalid_options', status: null }),
        }),
      ]),
    );
  });

  it('what is too large for the service is not too large here', { tags: 'slow' }, async () => {
    const create = { width: 8000, height: 5000, channels: 3 as const, background: '#875' };
    const path = join(cwd, 'large.jpg');
    await writeFile(path, await sharp({ create }).jpeg({ progressive: true }).toBuffer());
    const options = { width: 800, quality: 50 };
    await expect(optimize(await readFile(path), options)).rejects.toMatchObject({
      code: 'image_too_large',
    });
    const ended = await run('large.jpg', '--width', '800', '--quality', '50', '--json');
    expect(linesOf(ended.out)[0]).toMatchObject({ status: 'optimized' });
  });
});

describe('interruptions', () => {
  it('Ctrl-C ends at once with 130 and a table, and leaves every file whole and nothing else', {
    tags: 'slow',
  }, async () => {
    await writePictures(cwd, 30);
    const before = await contents(cwd);
    const running = start(['.'], { cwd });
    await vi.waitFor(() => expect(running.out).toContain('.png'), 20_000);
    running.kill('SIGINT');
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(ended.out).toContain('Interrupted. Every file is whole');
    await expectOldOrNew(before);
    expect(await readdir(cwd)).toHaveLength(31); // and the cache
  });

  it('SIGKILL at random moments leaves each file old or new, and the next run does the rest', {
    tags: 'slow',
  }, async () => {
    await writePictures(cwd, 30);
    const before = await contents(cwd);
    for (let round = 0; round < 8; round += 1) {
      const running = start(['.'], { cwd });
      await vi.waitFor(() => expect(running.out).toContain('.png'), 20_000).catch(() => {});
      await pause(Math.random() * 200);
      running.kill('SIGKILL');
      await running.ended;
      await expectOldOrNew(before);
    }
    expect((await run('.')).code).toBe(0);
    const after = await contents(cwd);
    for (const [name, bytes] of before) {
      expect(after.get(name)?.length, name).toBeLessThan(bytes.length);
    }
  });

  /** By file, since rounds look at the same ones. */
  const made = new Map<Buffer, Promise<Uint8Array>>();
  const optimized = (bytes: Buffer) => {
    const one = made.get(bytes) ?? optimize(bytes).then((image) => image.bytes);
    made.set(bytes, one);
    return one;
  };

  /** Whether each picture is the one from before, or what the engine makes of it. */
  async function expectOldOrNew(before: ReadonlyMap<string, Buffer>): Promise<void> {
    const now = await contents(cwd);
    for (const [name, bytes] of before) {
      const found = now.get(name);
      const isWhole = found?.equals(bytes) || found?.equals(await optimized(bytes));
      expect(isWhole, name).toBe(true);
    }
  }
});

it('a program that has optimized an image ends, though its threads are still there', {
  tags: 'slow',
}, async () => {
  const program = `
    import { optimize } from ${JSON.stringify(pathToFileURL(dist('files.js')).href)};
    const image = await optimize(process.argv[1], { cache: false, options: { width: 64 } });
    console.log(image.kind, image.type, image.width);`;
  const args = ['--input-type=module', '-e', program, join(samples, 'logo.png')];
  const env = { PATH: process.env.PATH ?? '' } as unknown as NodeJS.ProcessEnv;
  const printed = execFileSync(systemNode, args, { timeout: 20_000, env });
  expect(printed.toString()).toBe('smaller image/png 64\n');
});
