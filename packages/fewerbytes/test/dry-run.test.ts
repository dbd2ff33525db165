import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { command, linesOf } from './support/command.ts';
import { contents, jpegLike, newFolder, webpLike, writeJpegs } from './support/folders.ts';
import { image, StandIn, same } from './support/stand-in.ts';

const key = 'fewer_of_a_test';
let standIn: StandIn;
let cwd: string;
const run = (...args: readonly string[]) => command(args, { cwd, url: standIn.origin, key });

beforeEach(async () => {
  standIn = await new StandIn().start();
  cwd = await newFolder(onTestFinished);
});

afterEach(() => standIn.stop());

describe('a dry run', () => {
  it('sends and writes nothing', async () => {
    await writeJpegs(cwd, 3);
    const before = await contents(cwd);
    const ended = await run('.', '--dry-run', '--json');
    expect(ended.code).toBe(0);
    const lines = linesOf(ended.out);
    expect(lines.map(({ status }) => status)).toEqual(['planned', 'planned', 'planned', undefined]);
    expect(await contents(cwd)).toEqual(before);
    expect(existsSync(join(cwd, '.cache'))).toBe(false);
    expect(standIn.seen).toHaveLength(0);
  });

  it('tells what the cache has, and that it is there only once it is', async () => {
    await writeJpegs(cwd, 2);
    const before = await contents(cwd);
    await run('.');
    for (const [name, bytes] of before) await writeFile(join(cwd, name), bytes);
    const planned = linesOf((await run('.', '--dry-run', '--json')).out);
    const file = { status: 'planned', output: null, inputBytes: 2000, outputBytes: 1000 };
    expect(planned.slice(0, 2)).toMatchObject([file, file]);
    expect(planned.at(-1)).toMatchObject({ planned: 2, optimized: 0, outputBytes: 2000 });
    await run('.', '--out', 'out');
    await rm(join(cwd, 'out/photo 1.jpg'));
    const half = linesOf((await run('.', '--out', 'out', '--dry-run', '--json')).out);
    expect(
      half
        .slice(0, 2)
        .map(({ status, output }) => `${status} ${output}`)
        .sort(),
    ).toEqual(['optimized out/photo 0.jpg', 'planned null']);
    expect(standIn.seen).toHaveLength(2);
  });

  it('says what the run would leave alone, also where only the result tells its format', async () => {
    standIn.answer = (response, { body }) =>
      image(response, body, webpLike, { 'Content-Type': 'image/webp' });
    await writeFile(join(cwd, 'a.jpg'), jpegLike(1));
    await run('a.jpg', '--format', 'auto', '--out', 'out');
    await writeFile(join(cwd, 'a.webp'), 'another image');
    const args = ['a.jpg', '--in-place', '--format', 'auto', '--json'];
    const [planned] = linesOf((await run(...args, '--dry-run')).out);
    const [done] = linesOf((await run(...args)).out);
    expect(planned).toMatchObject({ status: 'skipped', reason: 'exists' });
    expect(done).toMatchObject({ status: 'skipped', reason: 'exists' });
  });

  it('says of what would be copied into an out folder that it is not there yet', async () => {
    standIn.answer = same;
    await writeJpegs(cwd, 1);
    await run('.');
    const [file] = linesOf((await run('.', '--out', 'out', '--dry-run', '--json')).out);
    expect(file).toMatchObject({ status: 'kept', output: null });
    expect((await run('.', '--dry-run', '--json')).out).toContain('"output":"photo 0.jpg"');
  });
});
