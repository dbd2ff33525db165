/**
 * Prepares published codec builds for this service: the memory that each module defines becomes an import, so that all
 * modules can run in one arena (src/image/wasm/arena.ts). Code and data are left unchanged, except for one place in
 * dav1d (`withAllLayouts`). libaom's decoder and encoder are our own builds (codecs/libaom), which are committed.
 */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isFresh } from './local/is-fresh.ts';

const require = createRequire(import.meta.url);
const output = join(import.meta.dirname, '../src/image/wasm/modules');

const published = {
  // Used only by the tests and the bench, for comparison; the service contains none of these.
  'webp-decode': '@jsquash/webp/codec/dec/webp_dec.wasm',
  'webp-encode': '@jsquash/webp/codec/enc/webp_enc_simd.wasm',
  'libavif-decode': '@jsquash/avif/codec/dec/avif_dec.wasm',
  // dav1d for 8 bits, as built for a media player.
  'av1-decode': 'ogv/dist/ogv-decoder-video-av1-wasm.wasm',
};

/** binaryen's name for the only memory of a module that it reads from a binary. */
const memoryName = '0';

await mkdir(output, { recursive: true });
for (const [name, path] of Object.entries(published)) await build(name, path);
for (const name of ['decode', 'encode']) {
  const source = join(import.meta.dirname, `../codecs/libaom/${name}r.wasm`);
  const target = join(output, `avif-${name}.wasm`);
  if (!(await isFresh(target, [source]))) await copyFile(source, target);
}

async function build(name: string, path: string): Promise<void> {
  const source = require.resolve(path);
  const target = join(output, `${name}.wasm`);
  if (await isFresh(target, [source, import.meta.filename])) return;
  const { default: binaryen } = await import('assemblyscript/binaryen');
  const f = binaryen.Features;
  const bytes = await readFile(source);
  if (name === 'av1-decode') withAllLayouts(bytes);
  const module = binaryen.readBinary(bytes);
  // Exactly the features that the published builds use: with more, binaryen writes encodings that engines do not
  // support yet.
  module.setFeatures(
    f.SIMD128 | f.SignExt | f.BulkMemory | f.NontrappingFPToInt | f.MutableGlobals | f.Multivalue,
  );
  module.addMemoryImport(memoryName, 'arena', 'memory');
  await writeFile(target, module.emitBinary());
  module.dispose();
}

/**
 * The player's wrapper of dav1d outputs only 4:2:0 pictures and aborts on any other layout, although dav1d decodes them
 * all. This patch turns `layout != 1` into `layout > 3`, which is true of no layout.
 */
function withAllLayouts(module: Buffer): void {
  // i32.load offset=36, i32.const 1, i32.ne, br_if
  const isNotHandedOver = Buffer.from([0x28, 0x02, 0x24, 0x41, 0x01, 0x47, 0x0d]);
  // i32.const 3, i32.gt_u
  module.set([0x41, 0x03, 0x4b], onlyPlaceOf(module, isNotHandedOver) + 3);
}

function onlyPlaceOf(module: Buffer, bytes: Buffer): number {
  const at = module.indexOf(bytes);
  if (at < 0 || module.indexOf(bytes, at + 1) >= 0) {
    throw new Error('a codec of AVIF is another build');
  }
  return at;
}
