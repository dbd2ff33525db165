/**
 * Prepares the published codec builds for this service: the memory that each
 * module defines becomes an import, so that all of them can run in one arena
 * (src/image/codecs/arena.ts). Code and data stay byte for byte what was
 * published. The two Rust builds grow their memory by instruction rather than
 * through JavaScript; there the instruction becomes a call to `arena.grow`.
 */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import binaryen from 'binaryen';

const require = createRequire(import.meta.url);
const output = join(import.meta.dirname, '../src/image/codecs/wasm');

const emscriptenBuilds = {
  'webp-decode': '@jsquash/webp/codec/dec/webp_dec.wasm',
  'webp-encode': '@jsquash/webp/codec/enc/webp_enc_simd.wasm',
  'avif-decode': '@jsquash/avif/codec/dec/avif_dec.wasm',
  'avif-encode': '@jsquash/avif/codec/enc/avif_enc.wasm',
};
const rustBuilds = {
  png: '@jsquash/png/codec/pkg/squoosh_png_bg.wasm',
  oxipng: '@jsquash/oxipng/codec/pkg/squoosh_oxipng_bg.wasm',
};

const f = binaryen.Features;
/** Exactly what the published builds use: with more, binaryen writes encodings that engines do not read yet. */
const features =
  f.SIMD128 | f.SignExt | f.BulkMemory | f.NontrappingFPToInt | f.MutableGlobals | f.Multivalue;

/** binaryen's name for the only memory of a module read from binary. */
const memoryName = '0';

await mkdir(output, { recursive: true });
for (const [name, path] of Object.entries(emscriptenBuilds)) {
  await build(name, path, (module) => module);
}
for (const [name, path] of Object.entries(rustBuilds)) {
  await build(name, path, growThroughImport);
}

async function build(
  name: string,
  path: string,
  rewrite: (module: binaryen.Module) => binaryen.Module,
): Promise<void> {
  const source = require.resolve(path);
  const target = join(output, `${name}.wasm`);
  if (await isFresh(target, source)) return;
  const published = binaryen.readBinary(await readFile(source));
  published.setFeatures(features);
  const module = rewrite(published);
  module.addMemoryImport(memoryName, 'arena', 'memory');
  await writeFile(target, module.emitBinary());
  module.dispose();
}

function growThroughImport(module: binaryen.Module): binaryen.Module {
  const text = module.emitText();
  const sites = text.split('(memory.grow').length - 1;
  if (sites !== 1) throw new Error(`expected one memory.grow in a Rust build, found ${sites}`);
  const rewritten = binaryen.parseText(
    text
      .replace('(memory.grow', '(call $arena_grow')
      .replace(
        '(module',
        '(module (import "arena" "grow" (func $arena_grow (param i32) (result i32)))',
      ),
  );
  rewritten.setFeatures(features);
  return rewritten;
}

/** Newer than both the published file and this script. */
async function isFresh(target: string, source: string): Promise<boolean> {
  const [built, published, script] = await Promise.all(
    [target, source, import.meta.filename].map((file) =>
      stat(file).then(
        (s) => s.mtimeMs,
        () => 0,
      ),
    ),
  );
  return built !== undefined && built > Math.max(published ?? 0, script ?? 0);
}
