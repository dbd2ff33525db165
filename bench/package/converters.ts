import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import sharp from 'sharp';
import { root } from '../../scripts/local/root.ts';
import type { ThreadOrder } from './jsquash-thread.ts';

/** What a photo is made into. */
export interface Coding {
  readonly format: 'jpeg' | 'webp';
  /** On the scale of the encoder; undefined for those that search for it. */
  readonly quality?: number;
}

/** Makes photos into other files, as many at a time as keep all cores busy. */
export interface Converter {
  /** Number of calls at a time. */
  readonly atOnce: number;
  convert(from: string, to: string, coding: Coding): Promise<void>;
}

export type ConverterName = 'fewerbytes' | 'sharp' | 'jSquash';

/** The converters, each written as a script would use the packages. */
export const converters: Readonly<Record<ConverterName, () => Promise<Converter>>> = {
  fewerbytes,
  sharp: bySharp,
  jSquash: byJsquash,
};

/** What is used of `fewerbytes/pool`. It is loaded by its path, because it exists only once it has been built. */
interface PoolModule {
  createPool(settings: { readonly size: number }): {
    optimize(
      image: Uint8Array,
      options: Pick<Coding, 'format'>,
    ): Promise<{ readonly bytes: Uint8Array }>;
  };
}

/** The package as it is published, which looks for the quality itself. */
async function fewerbytes(): Promise<Converter> {
  const built = pathToFileURL(join(root, 'packages/fewerbytes/dist/pool.js'));
  const { createPool }: PoolModule = await import(built.href);
  const size = availableParallelism();
  const pool = createPool({ size });
  return {
    atOnce: size,
    async convert(from, to, { format }) {
      const { bytes } = await pool.optimize(await readFile(from), { format });
      await writeFile(to, bytes);
    },
  };
}

/** Everything at once: libuv's threads limit what runs. */
async function bySharp(): Promise<Converter> {
  // Later rounds would find what earlier ones have read.
  sharp.cache(false);
  return {
    atOnce: Number.POSITIVE_INFINITY,
    async convert(from, to, { format, quality }) {
      const photo = sharp(from);
      const coded =
        format === 'jpeg'
          ? photo.jpeg({ ...(quality !== undefined && { quality }), mozjpeg: true })
          : photo.webp({ ...(quality !== undefined && { quality }), effort: 4 });
      await coded.toFile(to);
    },
  };
}

/** jSquash has no threads of its own, so each core gets one that has the codecs. */
async function byJsquash(): Promise<Converter> {
  const threads = Array.from(
    { length: availableParallelism() },
    () => new Worker(join(import.meta.dirname, 'jsquash-thread.ts')),
  );
  await Promise.all(threads.map((thread) => once(thread, 'message')));
  return {
    atOnce: threads.length,
    async convert(from, to, coding) {
      const thread = threads.pop();
      if (!thread) throw new Error('more photos at a time than threads');
      thread.postMessage({ from, to, ...coding } satisfies ThreadOrder);
      await once(thread, 'message');
      threads.push(thread);
    },
  };
}
