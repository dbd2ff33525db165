import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { command, linesOf, ordinaryUser, type Setting } from './support/command.ts';
import { contents, halved, jpegLike, newFolder, webpLike, writeJpegs } from './support/folders.ts';
import { half, image, StandIn } from './support/stand-in.ts';

const key = 'fewer_of_a_test';
let standIn: StandIn;
let cwd: string;

function run(args: readonly string[], setting: Partial<Setting> = {}) {
  return command(args, { cwd, url: standIn.origin, key, ...setting });
}

beforeEach(async () => {
  standIn = await new StandIn().start();
  cwd = await newFolder(onTestFinished);
});

afterEach(() => standIn.stop());

describe('an out folder', () => {
  it.each([
    ['is the folder of the images', async () => 'in'],
    [
      'is a link to the folder of the images',
      async () => {
        await symlink('in', join(cwd, 'out'));
        return 'out';
      },
    ],
  ])('that %s replaces no image', async (_, make) => {
    await mkdir(join(cwd, 'in'));
    await writeJpegs(join(cwd, 'in'), 2);
    const before = await contents(join(cwd, 'in'));
    const ended = await run(['in', '--out', await make(), '--json']);
    expect(ended.code).toBe(1);
    expect(linesOf(ended.out)[0]).toMatchObject({ error: { code: 'name_collision' } });
    expect(standIn.seen).toHaveLength(0);
    expect(await contents(join(cwd, 'in'))).toEqual(before);
  });

  it('with a link to the folder of the images in it replaces no image', async () => {
    await mkdir(join(cwd, 'in/sub'), { recursive: true });
    await mkdir(join(cwd, 'out'));
    await writeJpegs(join(cwd, 'in/sub'), 2);
    await symlink('../in/sub', join(cwd, 'out/sub'));
    expect((await run(['in', '--out', 'out'])).code).toBe(1);
    expect((await contents(join(cwd, 'in/sub'))).get('photo 0.jpg')).toEqual(jpegLike(0));
    expect(standIn.seen).toHaveLength(0);
  });

  it('with a link to a file in it loses the link, and not the file', { tags: 'slow' }, async () => {
    await mkdir(join(cwd, 'in'));
    await mkdir(join(cwd, 'out'));
    await writeJpegs(join(cwd, 'in'), 1);
    await writeFile(join(cwd, 'precious.jpg'), 'precious');
    const result = join(cwd, 'out/photo 0.jpg');
    await symlink('../precious.jpg', result);
    expect((await run(['in', '--out', 'out'])).code).toBe(0);
    expect(await readFile(join(cwd, 'precious.jpg'), 'utf8')).toBe('precious');
    expect((await lstat(result)).isSymbolicLink()).toBe(false);
    expect(await readFile(result)).toEqual(halved(jpegLike(0)));
  });

  it('that is the input keeps the links to images in it', async () => {
    await mkdir(join(cwd, 'in'));
    await writeJpegs(cwd, 1);
    await symlink('../photo 0.jpg', join(cwd, 'in/linked.jpg'));
    const { code, out } = await run(['in', '--out', 'in']);
    expect(code).toBe(1);
    expect(out).toContain('name_collision: The result would replace the image itself');
    expect((await lstat(join(cwd, 'in/linked.jpg'))).isSymbolicLink()).toBe(true);
    expect(standIn.seen).toHaveLength(0);
  });

  it('inside the input is left out by whatever path it is named', { tags: 'slow' }, async () => {
    await mkdir(join(cwd, 'in/small'), { recursive: true });
    await writeJpegs(join(cwd, 'in'), 2);
    await symlink('in', join(cwd, 'linked'));
    for (const out of ['in/small', 'linked/small']) await run(['in', '--out', out]);
    expect(await readdir(join(cwd, 'in/small'))).toEqual(['photo 0.jpg', 'photo 1.jpg']);
  });

  it('that is the input takes other formats, and a second run sends nothing', {
    tags: 'slow',
  }, async () => {
    standIn.answer = (response, { body }) =>
      image(response, body, webpLike, { 'Content-Type': 'image/webp' });
    await writeJpegs(cwd, 1);
    for (const round of ['first', 'second']) {
      const { code, out } = await run(['.', '--out', '.', '--format', 'webp']);
      expect(code, `${round}: ${out}`).toBe(0);
      expect(standIn.seen).toHaveLength(1);
    }
    const all = await contents(cwd);
    expect(all.get('photo 0.jpg')).toEqual(jpegLike(0));
    expect(all.get('photo 0.webp')).toEqual(webpLike);
  });
});

describe('a file in the way of a result', () => {
  beforeEach(() => {
    standIn.answer = (response, { body }) =>
      image(response, body, webpLike, { 'Content-Type': 'image/webp' });
  });

  it('that is no file is left alone', async () => {
    await writeJpegs(cwd, 1);
    await mkdir(join(cwd, 'photo 0.webp'));
    const { out } = await run(['photo 0.jpg', '--format', 'webp', '--json']);
    expect(linesOf(out)[0]).toMatchObject({ status: 'skipped', reason: 'exists' });
  });

  it.each(['webp', 'auto'])(
    'that is the image itself, under the extension of the format %s gives, is left alone',
    { tags: 'slow' },
    async (format) => {
      await writeFile(join(cwd, 'photo.webp'), jpegLike(0));
      const { out } = await run(['photo.webp', '--format', format, '--json']);
      expect(linesOf(out)[0]).toMatchObject({ status: 'skipped', reason: 'exists' });
      expect(await readFile(join(cwd, 'photo.webp'))).toEqual(jpegLike(0));
    },
  );

  it('that appears while the image is being worked on is left alone', {
    tags: 'slow',
  }, async () => {
    await writeJpegs(cwd, 1);
    standIn.answer = async (response, { body }) => {
      await writeFile(join(cwd, 'photo 0.webp'), 'precious');
      image(response, body, webpLike, { 'Content-Type': 'image/webp' });
    };
    const { code, out } = await run(['photo 0.jpg', '--format', 'webp']);
    expect(code).toBe(1);
    expect(out).toContain('changed_meanwhile: A file with the name of the result has appeared');
    expect(await readFile(join(cwd, 'photo 0.webp'), 'utf8')).toBe('precious');
  });
});

describe('a file that is changed while it is being optimized', () => {
  it('stays, even if its size and time are those from before', { tags: 'slow' }, async () => {
    await writeJpegs(cwd, 1);
    const path = join(cwd, 'photo 0.jpg');
    const time = new Date(1_700_000_000_000);
    await utimes(path, time, time);
    standIn.answer = async (response, seen) => {
      await writeFile(path, jpegLike(99));
      await utimes(path, time, time);
      half(response, seen);
    };
    const { code, out } = await run(['.']);
    expect(code).toBe(1);
    expect(out).toContain('changed_meanwhile');
    expect(await readFile(path)).toEqual(jpegLike(99));
  });

  it('is not created again with its folder after that was deleted', { tags: 'slow' }, async () => {
    await mkdir(join(cwd, 'in'));
    await writeJpegs(join(cwd, 'in'), 1);
    standIn.answer = async (response, seen) => {
      await rm(join(cwd, 'in'), { recursive: true });
      half(response, seen);
    };
    expect((await run(['in'])).code).toBe(1);
    expect(await readdir(cwd)).toEqual(['.cache']);
  });

  it('is replaced if only another hard link to it was', { tags: 'slow' }, async () => {
    await writeJpegs(cwd, 1);
    await link(join(cwd, 'photo 0.jpg'), join(cwd, 'photo 1.jpg'));
    const { code } = await run(['.']);
    expect(code).toBe(0);
    const half = halved(jpegLike(0));
    for (const bytes of (await contents(cwd)).values()) expect(bytes).toEqual(half);
  });
});

it('what a killed process has left is removed even when there is nothing to write', {
  tags: 'slow',
}, async () => {
  await writeJpegs(cwd, 1);
  await run(['.']);
  const part = join(cwd, '.00000000-0000-4000-8000-000000000001.part');
  await writeFile(part, 'half a file');
  const yesterday = new Date(Date.now() - 24 * 3_600_000);
  await utimes(part, yesterday, yesterday);
  await run(['.']);
  expect((await readdir(cwd)).sort()).toEqual(['.cache', 'photo 0.jpg']);
});

it('an input that leads nowhere does not keep others from their turn', {
  tags: 'slow',
}, async () => {
  await writeJpegs(cwd, 1);
  const { code, out } = await run(['nowhere/*.jpg', '.', '--json']);
  expect(code).toBe(1);
  expect(linesOf(out)).toMatchObject([
    { path: 'nowhere/*.jpg', error: { code: 'not_found' } },
    { path: 'photo 0.jpg', status: 'optimized' },
    {},
  ]);
});

it.skipIf(process.platform !== 'linux')('a name that is not UTF-8 is reported', async () => {
  const name = Buffer.concat([
    Buffer.from(`${cwd}/bad`),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('.jpg'),
  ]);
  await writeFile(name, jpegLike(1));
  const { code, out } = await run(['.']);
  expect(code).toBe(1);
  expect(out).toContain('cannot_read: Its name is not valid UTF-8');
});

/** Root may do everything, so these run as another user. */
describe.skipIf(ordinaryUser === null)('permissions', () => {
  const asUser = (...args: readonly string[]) =>
    run(args, {
      uid: ordinaryUser ?? 0,
      environment: { FEWERBYTES_CACHE: join(cwd, 'own/.cache') },
    });

  beforeEach(async () => {
    await mkdir(join(cwd, 'own'));
    await writeJpegs(join(cwd, 'own'), 1);
    await chown(join(cwd, 'own'), ordinaryUser ?? 0, -1).catch(() => {});
    await chmod(cwd, 0o755);
  });

  it('a file that the user may not write to is not replaced', async () => {
    await chmod(join(cwd, 'own/photo 0.jpg'), 0o444);
    expect((await asUser('own')).out).toContain('read_only');
    await chmod(join(cwd, 'own/photo 0.jpg'), 0o644); // its owner is another user
    expect((await asUser('own')).out).toContain('read_only');
    expect(standIn.seen).toHaveLength(0);
  });

  it('a file that another user shares with a group stays in that group', {
    tags: 'slow',
  }, async () => {
    const [path, group] = [join(cwd, 'own/photo 0.jpg'), ordinaryUser ?? 0];
    await chown(path, 0, group);
    await chmod(path, 0o664);
    // new files in it belong to the group of the folder
    await chown(join(cwd, 'own'), group, 0);
    await chmod(join(cwd, 'own'), 0o2775);
    expect((await asUser('own')).code).toBe(0);
    expect(await readFile(path)).toEqual(halved(jpegLike(0)));
    expect(await stat(path)).toMatchObject({ uid: group, gid: group });
  });

  it('a folder that cannot be written to is told before anything is sent', async () => {
    await mkdir(join(cwd, 'theirs'));
    const { out } = await asUser('own', '--out', 'theirs/new/folder');
    expect(out).toContain('cannot_write');
    expect(standIn.seen).toHaveLength(0);
  });

  it('a folder or file that cannot be read is reported, and the others have their turn', {
    tags: 'slow',
  }, async () => {
    await mkdir(join(cwd, 'own/closed'), 0o700);
    await writeFile(join(cwd, 'own/secret.jpg'), jpegLike(2), { mode: 0o600 });
    const { code, out } = await asUser('own', '--out', 'own/out', '--json');
    expect(code).toBe(1);
    const results = linesOf(out).filter(({ type }) => type === 'file');
    expect(results).toHaveLength(3);
    expect(results).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: 'own/closed', status: 'failed' }),
        expect.objectContaining({ path: 'own/secret.jpg', status: 'failed' }),
        expect.objectContaining({ path: 'own/photo 0.jpg', status: 'optimized' }),
      ]),
    );
  });
});
