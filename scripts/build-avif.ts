/**
 * `npm run build:avif`: links libaom with our shim to the codec modules of AVIF, in codecs/libaom, where they are
 * committed: what compiles and links them has 110 MB, for which no other command should wait.
 *
 *     npm run build:avif -- [folder for the modules]
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type Binaryen from 'assemblyscript/binaryen';
import { root } from './local/root.ts';

const folder = join(root, 'codecs/libaom');
const target = resolve(process.argv[2] ?? folder);

/** A file tree of the compiler: texts, bytes and folders by name. */
interface Tree {
  readonly [name: string]: Tree | string | Uint8Array;
}

/** The compiler and linker, LLVM as WebAssembly. */
interface Toolchain {
  runClang(args: readonly string[], files: Tree): Promise<Record<string, Uint8Array>>;
  runLLVM(args: readonly string[], files: Tree): Promise<Record<string, Uint8Array>>;
}

execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
  cwd: folder,
  stdio: ['ignore', 'ignore', 'inherit'],
  shell: process.platform === 'win32',
});
const packages = join(folder, 'node_modules');
const { runClang, runLLVM }: Toolchain = await import(
  pathToFileURL(join(packages, '@yowasp/clang/gen/bundle.js')).href
);
const { default: binaryen }: { default: typeof Binaryen } = await import(
  pathToFileURL(join(packages, 'binaryen/index.js')).href
);
const vips = join(packages, '@img/sharp-libvips-dev-wasm32');
const library = await readFile(join(vips, 'lib/libaom.a'));
const headers = await filesIn(join(vips, 'include/aom'));

await mkdir(target, { recursive: true });
const built: Record<string, string> = {};
const runtime = await compiled('runtime');
for (const name of ['decoder', 'encoder']) {
  const whole = await linked({ [`${name}.o`]: await compiled(name), 'runtime.o': runtime });
  const bytes = optimized(whole, name === 'encoder' ? isNeverEncoded : () => false);
  await writeFile(join(target, `${name}.wasm`), bytes);
  built[`${name}.wasm`] = sha256(bytes);
}
await writeFile(
  join(target, 'provenance.json'),
  `${JSON.stringify(await provenance(), null, 2)}\n`,
);

async function filesIn(path: string): Promise<Tree> {
  const names = await readdir(path);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(path, name))] as const)),
  );
}

async function compiled(name: string): Promise<Uint8Array> {
  const source = await readFile(join(folder, `${name}.c`));
  const options = '-O3 -msimd128 -mbulk-memory -mnontrapping-fptoint -Iinclude';
  const files = await runClang(
    `clang --target=wasm32-wasip1 ${options} -c source.c -o object.o`.split(' '),
    { 'source.c': source, include: { aom: headers } },
  );
  return fileOf(files, 'object.o');
}

/**
 * Links objects with libaom. Its memory is imported, with the maximum that the arena declares (src/image/wasm/arena.ts).
 * The stack, of which at most 105 KB were seen in use, is at the bottom, so that too much of it traps.
 */
async function linked(objects: Record<string, Uint8Array>): Promise<Uint8Array> {
  const inputs = `${Object.keys(objects).join(' ')} libaom.a -L/usr/lib/wasm32-wasip1 -lsetjmp -lc`;
  const memory = '--import-memory=arena,memory --max-memory=2147483648';
  const stack = '--stack-first -z stack-size=262144';
  const files = await runLLVM(
    `wasm-ld ${inputs} -o linked.wasm --no-entry --gc-sections -O2 --strip-debug ${memory} ${stack}`.split(
      ' ',
    ),
    { ...objects, 'libaom.a': library },
  );
  return fileOf(files, 'linked.wasm');
}

function fileOf(files: Record<string, Uint8Array>, name: string): Uint8Array {
  const file = files[name];
  if (!file) throw new Error(`${name} was not made`);
  return file;
}

/**
 * Whether a function of the encoder is only for what is never encoded: samples of more than 8 bits, or pictures
 * predicted from others. The linker cannot know, because libaom chooses at run time.
 */
function isNeverEncoded(name: string): boolean {
  if (name.startsWith('ctrl_')) return false;
  return /highbd(?!_set_var_fns|_(fwd|inv)_txfm|_iwht|_fwht)|obmc|warp|masked_|compute_gm_|temporal_filter|tf_do_|tpl_setup|mc_flow|first_pass|compute_corner_list|disflow/.test(
    name,
  );
}

/**
 * binaryen's optimization for speed, with exactly the features in use: with more, it writes what Node 20 cannot read.
 * @param isUnused which functions to replace by a trap
 */
function optimized(bytes: Uint8Array, isUnused: (name: string) => boolean): Uint8Array {
  const f = binaryen.Features;
  const module = binaryen.readBinary(bytes);
  const memory = f.BulkMemory | f.BulkMemoryOpt;
  module.setFeatures(memory | f.SIMD128 | f.SignExt | f.NontrappingFPToInt | f.ExceptionHandling);
  for (let i = 0; i < module.getNumFunctions(); i += 1) {
    const {
      name,
      module: home,
      params,
      results,
    } = binaryen.getFunctionInfo(module.getFunctionByIndex(i));
    if (home || !isUnused(name)) continue;
    module.removeFunction(name);
    module.addFunction(name, params, results, [], module.unreachable());
  }
  binaryen.setOptimizeLevel(3);
  binaryen.setShrinkLevel(0);
  module.optimize();
  // Sections for tools, which the linker keeps together with the names.
  module.runPasses(['strip-producers', 'strip-target-features']);
  return module.emitBinary();
}

async function provenance(): Promise<object> {
  const { dependencies } = await json(join(folder, 'package.json'));
  const { aom, emscripten } = await json(join(vips, 'versions.json'));
  return {
    libaom: { version: aom, compiledBy: `emscripten ${emscripten}`, 'libaom.a': sha256(library) },
    packages: dependencies,
    sha256: built,
  };
}

async function json(path: string) {
  return JSON.parse(await readFile(path, 'utf8'));
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
