/**
 * Compiles the kernels (AssemblyScript; one per format, and one in src/image/metric) to WebAssembly with SIMD, and
 * writes TypeScript declarations of their exports. Their memory is imported: they run in the arena, like the codecs.
 * Each takes seconds, so that they are compiled beside one another, in threads.
 */
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { isFresh } from './local/is-fresh.ts';
import type { KernelOrder } from './local/kernel-thread.ts';

/** A compiler takes up to half a gigabyte. */
const maxThreads = 4;

const image = join(import.meta.dirname, '../src/image');
const thread = join(import.meta.dirname, 'local/kernel-thread.ts');

/** Entry files of the kernels below src/image; a kernel has the name of its folder. */
const entryFiles = globSync(['formats/*/kernel/index.ts', 'metric/kernel/index.ts'], {
  cwd: image,
});

const stale: KernelOrder[] = [];
for (const file of entryFiles) {
  const order = orderOf(file);
  if (!(await isBuilt(order))) stale.push(order);
}
// All threads take from one queue, in which that of WebP, which takes longest, is not the last.
const queue = stale.toReversed().values();
const threads = Math.min(availableParallelism(), maxThreads, stale.length);
await Promise.all(Array.from({ length: threads }, compileQueue));

/** @throws Error with the output of the compiler */
async function compileQueue(): Promise<void> {
  // Not the options of this process, whose `--import` would run this script in the thread.
  const compiler = new Worker(thread, { execArgv: [] });
  for (const order of queue) {
    compiler.postMessage(order);
    await once(compiler, 'message');
  }
  await compiler.terminate();
}

function orderOf(entryFile: string): KernelOrder {
  const parent = dirname(dirname(entryFile));
  const name = basename(parent);
  return {
    name,
    entry: join(image, entryFile),
    target: join(image, 'wasm/modules', `${name}.wasm`),
    declaration: join(image, parent, 'kernel-exports.ts'),
  };
}

async function isBuilt({ target, declaration }: KernelOrder): Promise<boolean> {
  // A kernel may contain stages of another one.
  const kernels = entryFiles.map((file) => join(image, dirname(file)));
  const sources = [...kernels, join(image, 'wasm/assembly'), import.meta.filename];
  return existsSync(declaration) && (await isFresh(target, [...sources, thread]));
}
