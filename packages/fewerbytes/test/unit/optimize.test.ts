import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { optimize } from '../../src/files/index.ts';
import { Threads } from '../../src/files/threads.ts';
import { jpegLike, newFolder } from '../support/folders.ts';

it('a program that only calls `optimize` keeps no old entries in its cache', async () => {
  const cache = await newFolder(onTestFinished);
  await mkdir(join(cache, 'ab'));
  const [old, recent] = ['0', '1'].map((digit) => `${digit.repeat(62)}.json`) as [string, string];
  for (const name of [old, recent]) await writeFile(join(cache, 'ab', name), '{}');
  await utimes(join(cache, 'ab', old), 0, 0);
  const service = { url: 'http://localhost:1', key: 'fewer_of_a_test' };
  const attempt = optimize(Buffer.from('no image'), { cache, ...service });
  await expect(attempt).rejects.toMatchObject({ code: 'not_an_image' });
  // Beside the work, which does not wait for it.
  await expect.poll(() => readdir(join(cache, 'ab'))).toEqual([recent]);
});

it('the thread for large images ends with the last one of them, and another begins with the next', async () => {
  const threads = new Threads(1);
  onTestFinished(() => threads.close());
  let opened = 0;
  let ended = 0;
  const count = (worker: Worker) => {
    opened += 1;
    worker.once('exit', () => {
      ended += 1;
    });
  };
  process.on('worker', count);
  onTestFinished(() => void process.off('worker', count));
  await threads.plan(jpegLike(1), {});
  expect([opened, ended]).toEqual([1, 0]);
  const large = largeJpeg();
  const smaller = { width: 800 };
  await threads.plan(large, smaller);
  expect([opened, ended]).toEqual([2, 1]);
  await threads.plan(large, smaller);
  expect([opened, ended]).toEqual([3, 2]);
  await Promise.all([threads.plan(large, smaller), threads.plan(large, smaller)]);
  expect(opened - ended).toBe(1);
});

/** The headers of a JPEG whose coefficients take more memory than threads have: progressive, of 9000 × 8000 pixels. */
function largeJpeg(): Buffer {
  const jpeg = jpegLike(2);
  const at = jpeg.indexOf(Buffer.from('ffc0000b08', 'hex'));
  jpeg.writeUInt8(0xc2, at + 1);
  jpeg.writeUInt16BE(8000, at + 5);
  jpeg.writeUInt16BE(9000, at + 7);
  return jpeg;
}
