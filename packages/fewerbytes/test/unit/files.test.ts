import type { Stats } from 'node:fs';
import {
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { formatFacts } from '../../../../src/image/formats/facts.ts';
import { Cache, defaultCacheFolder, type SmallerImage, sha256 } from '../../src/files/cache.ts';
import { Destinations, expectedType } from '../../src/files/destination.ts';
import { findFiles, slashed, splitGlob } from '../../src/files/find.ts';
import { stateOf } from '../../src/files/state.ts';
import { makeFolder, removeOldParts, writeWhole } from '../../src/files/write.ts';
import {
  hasImageExtension,
  imageTypeOf,
  type MediaType,
  nameForType,
  typeOfName,
} from '../../src/images.ts';
import { contents, newFolder, webpLike } from '../support/folders.ts';

async function folderWith(names: readonly string[]): Promise<string> {
  const folder = await newFolder(onTestFinished);
  for (const name of names) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), name);
  }
  return folder;
}

async function found(folder: string, inputs: readonly string[], outFolder: string | null = null) {
  const { files, missing } = await findFiles(inputs, { cwd: folder, outFolder });
  return {
    paths: files.map(({ path }) => path),
    outputs: files.map(({ relativePath }) => relativePath),
    missing: missing.map(({ path }) => path),
  };
}

describe('files, folders and globs', () => {
  it('a folder stands for its images at any depth, in the order of their numbers', async () => {
    const folder = await folderWith([
      ...['in/10.jpg', 'in/9.JPEG', 'in/sub/a.Png', 'in/notes.txt', 'in/.hidden.png'],
      ...['in/.git/a.png', 'in/node_modules/x/a.png', 'in/sub/node_modules/a.png', 'other.gif'],
    ]);
    expect(await found(folder, ['in'])).toEqual({
      paths: ['in/9.JPEG', 'in/10.jpg', 'in/sub/a.Png'],
      outputs: ['9.JPEG', '10.jpg', 'sub/a.Png'],
      missing: [],
    });
  });

  it('a glob keeps the folders below its fixed part; a file that has its name goes first', async () => {
    const folder = await folderWith(['in/a/1.jpg', 'in/b/2.jpg', 'in/b/2.txt', 'photo[1].jpg']);
    expect(await found(folder, ['in/*/*', 'photo[1].jpg'])).toEqual({
      paths: ['in/a/1.jpg', 'in/b/2.jpg', 'photo[1].jpg'],
      outputs: ['a/1.jpg', 'b/2.jpg', 'photo[1].jpg'],
      missing: [],
    });
    expect((await found(folder, ['*.jpg'])).paths).toEqual(['photo[1].jpg']);
    expect((await found(folder, [join(folder, 'in/**/*.jpg')])).paths).toHaveLength(2);
  });

  it('folders in a glob may have names with its signs, and alternatives several folders', async () => {
    const folder = await folderWith([
      'app/(shop)/a/1.png',
      'app/[id]/2.png',
      'Photos (2024)/3.png',
      'shop/4.png',
    ]);
    for (const [glob, paths, outputs] of [
      ['app/(shop)/**/*.png', ['app/(shop)/a/1.png'], ['a/1.png']],
      ['app/[id]/*.png', ['app/[id]/2.png'], ['2.png']],
      ['Photos (2024)/*.png', ['Photos (2024)/3.png'], ['3.png']],
      ['{app/[[]id],shop}/*.png', ['app/[id]/2.png', 'shop/4.png'], null],
      ['@(app/*|shop)/*.png', ['app/[id]/2.png', 'shop/4.png'], null],
    ] as const) {
      const expected = { paths, outputs: outputs ?? paths, missing: [] };
      expect(await found(folder, [glob], join(folder, 'out')), glob).toEqual(expected);
    }
  });

  it('a glob that leads out of its folder finds nothing: results would be outside of the out folder', async () => {
    const folder = await folderWith(['in/a/1.jpg', 'in/2.jpg', 'other/3.jpg']);
    const globs = ['in/*/../../other/*.jpg', '{in/a/../../other,nowhere/b}/*.jpg'];
    const { paths, outputs, missing } = await found(folder, globs, join(folder, 'out'));
    expect({ paths, outputs }).toEqual({ paths: [], outputs: [] });
    expect(missing).toEqual(globs);
    expect((await found(folder, ['in/../other/*.jpg'])).outputs).toEqual(['3.jpg']);
  });

  it('what is not there is reported; what is named twice counts once', async () => {
    const folder = await folderWith(['a.jpg', 'note.txt']);
    expect(await found(folder, ['a.jpg', './a.jpg', '.', 'note.txt', 'b.jpg', '*.gif'])).toEqual({
      paths: ['a.jpg', 'note.txt'],
      outputs: ['a.jpg', 'note.txt'],
      missing: ['b.jpg', '*.gif'],
    });
  });

  it.skipIf(process.platform !== 'linux')(
    'a file that vanishes between two looks at it is reported',
    async () => {
      const folder = await folderWith(['a.jpg', 'b.jpg']);
      const file = await open(join(folder, 'a.jpg'));
      onTestFinished(() => file.close());
      await rm(join(folder, 'a.jpg'));
      // there by its descriptor, so that it has stats, while no path leads to it any more
      const gone = `/proc/self/fd/${file.fd}`;
      expect(await found(folder, [gone, 'b.jpg'])).toMatchObject({
        paths: ['b.jpg'],
        missing: [gone],
      });
    },
  );

  it('linked files are taken, linked folders are not, and broken links and circles do no harm', async () => {
    const folder = await folderWith(['in/a.jpg', 'elsewhere/b.jpg', 'c.jpg']);
    await symlink('../elsewhere', join(folder, 'in/linked'));
    await symlink('..', join(folder, 'in/circle'));
    await symlink('../c.jpg', join(folder, 'in/c.jpg'));
    await symlink('nowhere.jpg', join(folder, 'in/broken.jpg'));
    expect((await found(folder, ['in'])).paths).toEqual(['in/a.jpg', 'in/c.jpg']);
    await symlink('in', join(folder, 'named'));
    expect((await found(folder, ['named'])).paths).toEqual(['named/a.jpg', 'named/c.jpg']);
  });

  it('an out folder is not looked into', async () => {
    const folder = await folderWith(['in/a.jpg', 'in/out/a.jpg']);
    expect((await found(folder, ['in'], join(folder, 'in/out'))).paths).toEqual(['in/a.jpg']);
    expect((await found(folder, ['in'], folder)).paths).toEqual(['in/a.jpg', 'in/out/a.jpg']);
  });

  it('paths of Windows become patterns', async () => {
    expect(slashed('photos\\**\\*.jpg', 'win32')).toBe('photos/**/*.jpg');
    expect(slashed('photos\\[1].jpg', 'linux')).toBe('photos\\[1].jpg');
    const pattern = slashed('C:\\photos\\*.jpg', 'win32');
    expect(await splitGlob(pattern, '/')).toEqual({ base: 'C:/photos', rest: '*.jpg' });
    expect(await splitGlob('*.jpg', '/')).toEqual({ base: '.', rest: '*.jpg' });
    expect(await splitGlob('/*.jpg', '/')).toEqual({ base: '/', rest: '*.jpg' });
  });
});

describe('names and types', () => {
  it('an extension is that of a format, in whatever case', () => {
    for (const { mediaType, extensions, isInput } of formatFacts) {
      for (const extension of extensions) {
        const name = `photo.${extension.toUpperCase()}`;
        expect(typeOfName(name)).toBe(mediaType);
        expect(hasImageExtension(name)).toBe(isInput);
      }
    }
    expect(typeOfName('folder.jpg/photo')).toBeNull();
  });

  it('an extension changes with the format, and only then', () => {
    expect(nameForType('a.b.JPG', 'image/jpeg', 'image/webp')).toBe('a.b.webp');
    expect(nameForType('a.JPEG', 'image/jpeg', 'image/jpeg')).toBe('a.JPEG');
    expect(nameForType('photo.png', 'image/jpeg', 'image/jpeg')).toBe('photo.png');
    expect(nameForType('photo', 'image/png', 'image/avif')).toBe('photo.avif');
    expect(nameForType('C:\\v1.2\\photo', 'image/png', 'image/avif')).toBe('C:\\v1.2\\photo.avif');
    expect(expectedType('auto', 'image/png')).toBeNull();
    expect(expectedType(undefined, 'image/png')).toBe('image/png');
    expect(expectedType('jxl', 'image/jpeg')).toBe('image/jxl');
  });

  it.each([
    ['image/jpeg', Buffer.from('ffd8ffe0', 'hex')],
    ['image/png', Buffer.from('89504e470d0a1a0a', 'hex')],
    ['image/gif', Buffer.from('GIF89a')],
    ['image/webp', Buffer.from('RIFF\n\0\0\0WEBPVP8 ')],
    ['image/avif', Buffer.from('\0\0\0\x1cftypmif1\0\0\0\0avif')],
    [null, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    [null, Buffer.from('\0\0\0\x1cftypheic\0\0\0\0mif1')],
    [null, Buffer.alloc(0)],
  ])('%s is told by its first bytes', (type, bytes) => {
    expect(imageTypeOf(bytes)).toBe(type);
  });

  it('a destination belongs to one source until that is gone', () => {
    const destinations = new Destinations();
    destinations.claim('/out/a.webp', '/in/a.jpg');
    destinations.claim('/out/a.webp', '/in/a.jpg');
    expect(() => destinations.claim('/out/a.webp', '/in/a.png')).toThrow('/in/a.jpg');
    destinations.release('/in/a.jpg');
    destinations.claim('/out/a.webp', '/in/a.png');
  });
});

function likeOf(mode: number) {
  return { mode, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

it('the state of a file changes with its inode, its size and its time', () => {
  const stats = { ino: 1, size: 2, mtimeMs: 3 } as Stats;
  const states = [{}, { ino: 4 }, { size: 4 }, { mtimeMs: 4 }].map((one) =>
    stateOf({ ...stats, ...one } as Stats),
  );
  expect(new Set(states).size).toBe(4);
});

describe('writing', () => {
  it('appears whole or not at all, and leaves nothing behind', async () => {
    const folder = await folderWith(['a.jpg']);
    const beforeRename = () => Promise.reject(new Error('power is out'));
    const path = join(folder, 'a.jpg');
    await expect(
      writeWhole(path, Buffer.from('new'), { like: likeOf(0o644), beforeRename }),
    ).rejects.toThrow('The result cannot be written');
    expect(await readdir(folder)).toEqual(['a.jpg']);
    expect(await readFile(path, 'utf8')).toBe('a.jpg');
    await writeWhole(path, Buffer.from('new'), { like: likeOf(0o600) });
    expect(await readFile(path, 'utf8')).toBe('new');
  });

  it('is forced to the disk before it takes the place of the old file', async () => {
    const folder = await folderWith(['a.jpg']);
    const handle = await open(join(folder, 'a.jpg'));
    const sync = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'sync');
    onTestFinished(() => sync.mockRestore());
    await handle.close();
    const beforeRename = vi.fn(async () => expect(sync).toHaveBeenCalledOnce());
    await writeWhole(join(folder, 'a.jpg'), Buffer.from('new'), {
      like: likeOf(0o644),
      beforeRename,
    });
    expect(beforeRename).toHaveBeenCalledOnce();
  });

  it('removes what a killed process has left, but not what another one is writing', async () => {
    const [old, recent] = [1, 2].map(
      (digit) => `.${'00000000-0000-4000-8000-00000000000'}${digit}.part`,
    );
    const folder = await folderWith([String(old), String(recent), '.own.part']);
    const yesterday = new Date(Date.now() - 24 * 3_600_000);
    for (const name of [String(old), '.own.part'])
      await utimes(join(folder, name), yesterday, yesterday);
    await removeOldParts(folder);
    expect((await readdir(folder)).sort()).toEqual([recent, '.own.part'].sort());
  });
});

describe('a folder', () => {
  it('is created with its parents, by several at once, and may exist', async () => {
    const path = join(await newFolder(onTestFinished), 'a/b/c/d');
    await Promise.all(Array.from({ length: 20 }, () => makeFolder(path)));
    await makeFolder(path);
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it('is created whichever of several calls into neighbouring folders creates their parents first', {
    tags: 'slow',
  }, async () => {
    const folder = await newFolder(onTestFinished);
    for (let round = 0; round < 200; round += 1) {
      const paths = ['one', 'two', 'one', 'two'].map((name) => join(folder, `${round}/a/${name}`));
      await Promise.all(paths.map(makeFolder));
    }
  });

  it('is not created in the place of a file or below one', async () => {
    const folder = await folderWith(['file']);
    await expect(makeFolder(join(folder, 'file'))).rejects.toThrow(/EEXIST/);
    await expect(makeFolder(join(folder, 'file/a/b'))).rejects.toThrow(/ENOTDIR/);
  });

  it.runIf(process.platform === 'linux')('is not created for ever where none can be', async () => {
    await expect(makeFolder('/proc/none/of/these')).rejects.toThrow(/ENOENT/);
    const cache = new Cache('/proc/none');
    await cache.prune();
    await cache.put('key', {
      kind: 'kept',
      reason: 'animated',
      inputType: 'image/avif',
      inputBytes: 1,
      score: null,
    });
    expect(cache.writeError).toBe('ENOENT');
  });
});

describe('the cache', () => {
  const smaller: SmallerImage = {
    kind: 'smaller',
    bytes: new Uint8Array(webpLike),
    type: 'image/webp',
    inputType: 'image/png',
    inputBytes: 100,
    width: 1,
    height: 1,
    quality: '77',
    score: 77.4,
  };
  const key = Cache.key(sha256('content'), '[]', 'https://images.example');

  it('returns what was put, and nothing for other contents, options or services', async () => {
    const cache = new Cache(await newFolder(onTestFinished));
    await cache.put(key, smaller);
    expect(await cache.get(key)).toEqual(smaller);
    for (const other of [
      Cache.key(sha256('other'), '[]', 'https://images.example'),
      Cache.key(sha256('content'), '[["width",5]]', 'https://images.example'),
      Cache.key(sha256('content'), '[]', 'https://other.example'),
    ]) {
      expect(await cache.get(other)).toBeNull();
    }
  });

  it.each(['json', 'bin'])('does not trust a damaged .%s file', async (extension) => {
    const folder = await newFolder(onTestFinished);
    const cache = new Cache(folder);
    await cache.put(key, smaller);
    await writeFile(join(folder, key.slice(0, 2), `${key.slice(2)}.${extension}`), '{"kin');
    expect(await cache.get(key)).toBeNull();
    await cache.put(key, smaller);
    expect(await cache.get(key)).toEqual(smaller);
  });

  it('does not trust a result of a type that is none of ours', async () => {
    const cache = new Cache(await newFolder(onTestFinished));
    await cache.put(key, { ...smaller, type: 'constructor' as MediaType });
    expect(await cache.get(key)).toBeNull();
  });

  it.each(['{"kind":"kept"}', '{"kind":"smaller"}', '{}', 'null', '[]', '7'])(
    'does not take %s for an outcome',
    async (text) => {
      const folder = await newFolder(onTestFinished);
      const cache = new Cache(folder);
      await cache.put(key, smaller);
      await writeFile(join(folder, key.slice(0, 2), `${key.slice(2)}.json`), text);
      expect(await cache.get(key)).toBeNull();
    },
  );

  it('forgets after a month without use', async () => {
    const folder = await newFolder(onTestFinished);
    const cache = new Cache(folder);
    await cache.put(key, smaller);
    await cache.prune(Date.now() + 29 * 24 * 3_600_000);
    expect(await cache.get(key)).toEqual(smaller);
    await cache.prune(Date.now() + 32 * 24 * 3_600_000);
    expect(await cache.get(key)).toBeNull();
    expect(await readdir(join(folder, key.slice(0, 2)))).toEqual([]);
  });

  it('forgets the others where an entry vanishes, or a file has the name of a folder', async () => {
    const folder = await newFolder(onTestFinished);
    const cache = new Cache(folder);
    await cache.put(key, smaller);
    // what another process removes meanwhile is like a link that leads nowhere
    for (const digit of '0123456789') {
      await mkdir(join(folder, `0${digit}`), { recursive: true });
      await symlink('nowhere', join(folder, `0${digit}`, `${'0'.repeat(62)}.json`));
      await writeFile(join(folder, `1${digit}`), '');
    }
    await cache.prune(Date.now() + 32 * 24 * 3_600_000);
    expect(await cache.get(key)).toBeNull();
  });

  it('removes no file but its own, whatever folder it is given', async () => {
    const folder = await folderWith(['package.json', 'model.bin', 'ab/data.json', 'pruned']);
    const longAgo = new Date(0);
    for (const name of ['package.json', 'model.bin', 'ab/data.json', 'pruned'])
      await utimes(join(folder, name), longAgo, longAgo);
    const before = await contents(folder);
    await new Cache(folder).prune();
    expect([...(await contents(folder))].filter(([name]) => !name.startsWith('.'))).toEqual([
      ...before,
    ]);
  });

  it('removes what interrupted writes have left', async () => {
    const folder = await newFolder(onTestFinished);
    const cache = new Cache(folder);
    await cache.put(key, smaller);
    const part = `${key.slice(2)}.bin.00000000-0000-4000-8000-000000000001.part`;
    await writeFile(join(folder, key.slice(0, 2), part), 'half');
    await cache.prune(Date.now() + 2 * 3_600_000);
    expect((await readdir(join(folder, key.slice(0, 2)))).sort()).toEqual([
      `${key.slice(2)}.bin`,
      `${key.slice(2)}.json`,
    ]);
  });

  it('changes nothing at all if it is only to be read', async () => {
    const folder = await newFolder(onTestFinished);
    await new Cache(folder).put(key, smaller);
    const entry = join(folder, key.slice(0, 2), `${key.slice(2)}.json`);
    const longAgo = new Date(0);
    await utimes(entry, longAgo, longAgo);
    const cache = new Cache(folder, true);
    expect(await cache.get(key)).toEqual(smaller);
    await cache.prune();
    await cache.put(Cache.key('other', '[]', ''), smaller);
    expect((await stat(entry)).mtimeMs).toBe(0);
    expect(await readdir(folder)).toEqual([key.slice(0, 2)]);
    await new Cache(folder).get(key);
    expect((await stat(entry)).mtimeMs).toBeGreaterThan(0);
  });

  it('is no hindrance where it cannot be written', async () => {
    const folder = await folderWith(['file']);
    const cache = new Cache(join(folder, 'file'));
    await cache.put(key, smaller);
    await cache.prune();
    expect(await cache.get(key)).toBeNull();
    expect(cache.writeError).toMatch(/^E[A-Z]+$/);
  });

  it('stands where each system keeps caches', () => {
    expect(defaultCacheFolder({ HOME: '/home/a' }, 'linux')).toMatch(
      /^\/home\/a\/\.cache\/[\w-]+$/,
    );
    expect(defaultCacheFolder({ HOME: '/home/a', XDG_CACHE_HOME: '/x' }, 'linux')).toMatch(
      /^\/x\/[\w-]+$/,
    );
    expect(defaultCacheFolder({ HOME: '/Users/a' }, 'darwin')).toMatch(
      /^\/Users\/a\/Library\/Caches\/[\w-]+$/,
    );
    expect(defaultCacheFolder({ USERPROFILE: 'C:\\Users\\a' }, 'win32')).toMatch(
      /^C:\\Users\\a\\AppData\\Local\\[\w-]+\\Cache$/,
    );
  });
});
