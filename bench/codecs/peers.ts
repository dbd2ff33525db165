import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether a program is installed; its exit status does not matter. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ['-version'], { stdio: 'ignore' }).error === undefined;
}

/** Vendor and version of the installed jpegtran: several packages provide a program with this name. */
export function jpegtranBuild(): string {
  const { error, stdout, stderr } = spawnSync('jpegtran', ['-version'], { encoding: 'utf8' });
  if (error) return 'not installed';
  const [first = ''] = (stdout + stderr).split('\n');
  return first.replace(/ *\(build.*/, '');
}

/** The standard output of a program; undefined if it is not installed or fails. */
export function piped(
  program: string,
  options: readonly string[],
  input: Uint8Array,
): Uint8Array<ArrayBuffer> | undefined {
  const { status, stdout } = spawnSync(program, options, { input, maxBuffer: 2 ** 30 });
  return status === 0 ? new Uint8Array(stdout) : undefined;
}

/**
 * Converts a file with a program that needs file names for input and output.
 *
 * @param output name of the output file, if its extension determines the format
 * @throws Error if it fails
 */
export async function converted(
  program: string,
  options: (from: string, to: string) => readonly string[],
  input: { readonly name: string; readonly bytes: Uint8Array },
  output = 'coded',
): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    const [from, to] = [join(folder, input.name), join(folder, output)];
    await writeFile(from, input.bytes);
    const { status, stderr } = spawnSync(program, options(from, to), { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
    return new Uint8Array(await readFile(to));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A build as published by @jsquash, with a memory of its own. */
interface PublishedBuild<Call> {
  readonly call: Call;
  readonly memory: WebAssembly.Memory;
}

/** Pixels as returned by the packages' decoders and resizer. */
class Pixels {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}

/**
 * Links an Emscripten build, given its glue code, its module, and the name of the function to return.
 *
 * @throws Error if the build has no such function
 */
export async function published<Call>(
  glue: unknown,
  module: WebAssembly.Module,
  name: string,
): Promise<PublishedBuild<Call>> {
  standInForImageData();
  let memory: WebAssembly.Memory | undefined;
  const factory = glue as (options: object) => Promise<Record<string, Call>>;
  const functions = await factory({
    noInitialRun: true,
    instantiateWasm(imports: WebAssembly.Imports, receive: (linked: object) => void) {
      const instance = new WebAssembly.Instance(module, imports);
      memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
      receive(instance);
      return instance.exports;
    },
  });
  const call = functions[name];
  if (!call || !memory) throw new Error(`the build has no ${name}`);
  return { call, memory };
}

/** Defines `ImageData`, which the packages expect because browsers have it. */
export function standInForImageData(): void {
  Object.assign(globalThis, { ImageData: Pixels });
}
