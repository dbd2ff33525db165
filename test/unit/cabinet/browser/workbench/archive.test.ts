import { expect, test } from 'vitest';
import {
  archiveOf,
  labelsOf,
  uniqueNames,
} from '../../../../../src/cabinet/browser/workbench/archive.ts';
import type { Result } from '../../../../../src/cabinet/browser/workbench/result.ts';
import { jobOf } from './jobs.ts';

test('names that are alike get a count, where cases are not told apart, too', () => {
  expect(
    uniqueNames(['a.jpg', 'A.JPG', 'a (2).jpg', 'b/a.jpg', 'b/a.jpg', 'none', 'none']),
  ).toEqual(['a.jpg', 'A (2).JPG', 'a (2) (2).jpg', 'b/a.jpg', 'b/a (2).jpg', 'none', 'none (2)']);
});

test('files of one name are told apart', () => {
  const job = (id: number, path: string) => {
    const file = new File(['x'], path.slice(path.lastIndexOf('/') + 1));
    return { ...jobOf(id), file, path };
  };
  const jobs = [job(1, 'trip/a.jpg'), job(2, 'a.jpg'), job(3, 'a.jpg'), job(4, 'trip/b.jpg')];
  expect([...labelsOf(jobs).values()]).toEqual(['trip/a.jpg', 'a.jpg', 'a (2).jpg', 'b.jpg']);
});

test('results are stored in the folders that they came from', async () => {
  const result = (text: string, fileName: string) =>
    ({ blob: new Blob([text]), fileName }) as Partial<Result> as Result;
  const archive = await archiveOf([
    { path: 'holiday/a.png', result: result('first', 'a.webp') },
    { path: 'ä.jpg', result: result('second', 'ä.jpg') },
  ]);
  const bytes = Buffer.from(await archive.arrayBuffer()).toString('utf8');
  for (const text of ['holiday/a.webp', 'ä.jpg', 'first', 'second']) expect(bytes).toContain(text);
});
