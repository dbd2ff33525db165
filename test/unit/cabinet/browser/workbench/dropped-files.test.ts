import { expect, test } from 'vitest';
import {
  type Entry,
  filesIn,
  maxFromFolders,
  noticeFor,
} from '../../../../../src/cabinet/browser/workbench/chosen-files.ts';

function fileEntry(name: string, isReadable = true, fullPath = `/${name}`): Entry {
  const file = (take: (file: File) => void, fail: () => void) =>
    isReadable ? take(new File(['x'], name)) : fail();
  return Object.assign({ name, fullPath, isDirectory: false }, { file });
}

/** Returns entries in portions of 100, like Chromium. */
function folder(name: string, entries: readonly Entry[]): Entry {
  const createReader = () => {
    let at = 0;
    const readEntries = (take: (portion: readonly Entry[]) => void) => {
      take(entries.slice(at, at + 100));
      at += 100;
    };
    return { readEntries };
  };
  return Object.assign({ name, fullPath: `/${name}`, isDirectory: true }, { createReader });
}

function drop(...entries: readonly Entry[]) {
  const items = entries.map((entry) => ({
    entry,
    file: entry.isDirectory ? null : new File(['x'], entry.name),
  }));
  return filesIn({ kind: 'drop', items });
}

test('files are taken as they are, of folders the pictures in them', async () => {
  const dropped = await drop(
    fileEntry('letter.pdf'),
    folder('holiday', [
      fileEntry('a.jpg'),
      fileEntry('notes.txt'),
      fileEntry('.hidden.jpg'),
      folder('more', [
        fileEntry('b.PNG', true, '/holiday/more/b.PNG'),
        fileEntry('locked.png', false),
      ]),
    ]),
  );
  expect(dropped.files.map(({ file }) => file.name)).toEqual(['letter.pdf', 'a.jpg', 'b.PNG']);
  expect(dropped.files.map(({ path }) => path)).toEqual([
    'letter.pdf',
    'a.jpg',
    'holiday/more/b.PNG',
  ]);
  expect(dropped.leftOut).toBe(0);
  expect(noticeFor(dropped)).toBe('Skipped 1 file that is not an image.');
});

test('of large folders, it is known how many pictures were left out', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => fileEntry(`${i}.jpg`));
  const dropped = await drop(folder('a', many(maxFromFolders - 20)), folder('b', many(250)));
  expect(dropped.files).toHaveLength(maxFromFolders);
  expect(dropped.leftOut).toBe(230);
  expect(noticeFor(dropped)).toBe(
    '500 images were added, 230 more were left out. Take smaller folders to add the rest.',
  );
});

test('of a folder that was chosen, its images are taken, with their paths', async () => {
  const file = (path: string) =>
    Object.assign(new File(['x'], path.slice(path.lastIndexOf('/') + 1)), {
      webkitRelativePath: path,
    });
  const files = ['trip/a.jpg', 'trip/day 2/b.png', 'trip/notes.txt', 'trip/.c.jpg'].map(file);
  const found = await filesIn({ kind: 'folder', files });
  expect(found.files.map(({ path }) => path)).toEqual(['trip/a.jpg', 'trip/day 2/b.png']);
  const many = Array.from({ length: maxFromFolders + 3 }, (_, i) => file(`trip/${i}.jpg`));
  expect((await filesIn({ kind: 'folder', files: many })).leftOut).toBe(3);
});

test('a folder without pictures is said to be one', async () => {
  expect(noticeFor(await drop(folder('texts', [fileEntry('notes.txt')])))).toBe(
    'There are no images in this folder.',
  );
});
