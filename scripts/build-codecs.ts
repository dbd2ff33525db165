/**
 * Prepares the published codec builds for this service: the memory that each
 * module defines becomes an import, so that all of them can run in one arena
 * (src/image/wasm/arena.ts). Code and data stay byte for byte what was
 * published.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isFresh } from './local/is-fresh.ts';

const require = createRequire(import.meta.url);
const output = join(import.meta.dirname, '../src/image/wasm/modules');

const published = {
  // what the tests and the bench compare ours with; the service has none of it
  'webp-decode': '@jsquash/webp/codec/dec/webp_dec.wasm',
  'webp-encode': '@jsquash/webp/codec/enc/webp_enc_simd.wasm',
  'avif-decode': '@jsquash/avif/codec/dec/avif_dec.wasm',
  'avif-encode': '@jsquash/avif/codec/enc/avif_enc.wasm',
};

/** binaryen's name for the only memory of a module read from binary. */
const memoryName = '0';

await mkdir(output, { recursive: true });
for (const [name, path] of Object.entries(published)) await build(name, path);

async function build(name: string, path: string): Promise<void> {
  const source = require.resolve(path);
  const target = join(output, `${name}.wasm`);
  if (await isFresh(target, [source, import.meta.filename])) return;
  const { default: binaryen } = await import('binaryen');
  const f = binaryen.Features;
  const module = binaryen.readBinary(await readFile(source));
  // exactly what the published builds use: with more, binaryen writes encodings that engines do not read yet
  module.setFeatures(
    f.SIMD128 | f.SignExt | f.BulkMemory | f.NontrappingFPToInt | f.MutableGlobals | f.Multivalue,
  );
  module.addMemoryImport(memoryName, 'arena', 'memory');
  await writeFile(target, module.emitBinary());
  module.dispose();
}
