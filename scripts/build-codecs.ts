/**
 * Prepares the published codec builds for this service: the memory that each
 * module defines becomes an import, so that all of them can run in one arena
 * (src/image/wasm/arena.ts). Code and data stay what was published, but for two
 * places in the decoders of AVIF (`withoutAccounting`, `withAllLayouts`) and the names of two
 * options in its encoder (`withOtherOptions`).
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
  // dav1d for 8 bits, by a media player
  'av1-decode': 'ogv/dist/ogv-decoder-video-av1-wasm.wasm',
};

type Binaryen = typeof import('binaryen').default;
type Module = InstanceType<Binaryen['Module']>;

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
  const bytes = await readFile(source);
  if (name === 'av1-decode') withAllLayouts(bytes);
  if (name === 'avif-encode') withOtherOptions(bytes);
  const module = binaryen.readBinary(bytes);
  // exactly what the published builds use: with more, binaryen writes encodings that engines do not read yet
  module.setFeatures(
    f.SIMD128 | f.SignExt | f.BulkMemory | f.NontrappingFPToInt | f.MutableGlobals | f.Multivalue,
  );
  module.addMemoryImport(memoryName, 'arena', 'memory');
  if (name === 'avif-decode') withoutAccounting(binaryen, module);
  await writeFile(target, module.emitBinary());
  module.dispose();
}

/**
 * Empties the function in which libaom notes what each symbol of a picture has cost, for tools that look into
 * streams (`aom_accounting_record`, built in by CONFIG_ACCOUNTING). Nothing here reads those notes, and they take
 * up to 55 bytes of memory for each byte of a file, and a third of the decoder's time.
 *
 * Names are not in the build. The function is the only one that looks names of symbols up, in a table whose
 * size, 1021, is a constant of no other function.
 */
function withoutAccounting(binaryen: Binaryen, module: Module): void {
  const functions = Array.from({ length: module.getNumFunctions() }, (_, i) => {
    const { name, module: from, body } = binaryen.getFunctionInfo(module.getFunctionByIndex(i));
    return { name, text: from === '' ? binaryen.emitText(body) : '' };
  });
  const only = (text: string) => {
    const [found, ...others] = functions.filter((one) => one.text.includes(text));
    if (!found || others.length > 0) throw new Error(`the AVIF decoder is another build: ${text}`);
    return found.name;
  };
  const lookup = only('(i32.const 1021)');
  const record = only(`(call $${lookup}\n`);
  const { params, results } = binaryen.getFunctionInfo(module.getFunction(record));
  module.removeFunction(record);
  module.addFunction(record, params, results, [], module.nop());
}

/**
 * The player's wrapper of dav1d hands over pictures in 4:2:0 alone and aborts at any other, which dav1d has decoded
 * all the same: `layout != 1` becomes `layout > 3`, which none is.
 */
function withAllLayouts(module: Buffer): void {
  // i32.load offset=36, i32.const 1, i32.ne, br_if
  const isNotHandedOver = Buffer.from([0x28, 0x02, 0x24, 0x41, 0x01, 0x47, 0x0d]);
  // i32.const 3, i32.gt_u
  module.set([0x41, 0x03, 0x4b], onlyPlaceOf(module, isNotHandedOver) + 3);
}

/**
 * The binding of libaom names few of its options, and two that do nothing here. Under their names come two that
 * matter: whether copies are looked for (`denoiseLevel`, a number) and whether quantization matrices are
 * used (`chromaDeltaQ`, a flag). With libaom's own range of levels, 5 to 9, matrices get steeper as quality rises, which
 * costs up to 18 % there; so it is turned around, as later versions of libaom do for still pictures (tune=iq).
 */
function withOtherOptions(module: Buffer): void {
  replaceText(module, 'color:denoise-noise-level', 'enable-intrabc');
  replaceText(module, 'color:enable-chroma-deltaq', 'color:enable-qm');
  // the defaults of qm_y, qm_u, qm_v, qm_min and qm_max, of which the last two count
  const levels = Buffer.from(Int32Array.of(10, 11, 12, 5, 9).buffer);
  Buffer.from(Int32Array.of(10, 4).buffer).copy(module, onlyPlaceOf(module, levels) + 3 * 4);
}

/** @param text which no longer one can replace */
function replaceText(module: Buffer, text: string, by: string): void {
  const at = onlyPlaceOf(module, Buffer.from(`${text}\0`));
  module.fill(0, at, at + text.length);
  module.write(by, at);
}

function onlyPlaceOf(module: Buffer, bytes: Buffer): number {
  const at = module.indexOf(bytes);
  if (at < 0 || module.indexOf(bytes, at + 1) >= 0) {
    throw new Error('a codec of AVIF is another build');
  }
  return at;
}
