import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether a program is installed, whatever it says when it is asked for its version. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ['-version'], { stdio: 'ignore' }).error === undefined;
}

/** Who made the jpegtran that is installed, and its version: several packages have a program of this name. */
export function jpegtranBuild(): string {
  const { error, stdout, stderr } = spawnSync('jpegtran', ['-version'], { encoding: 'utf8' });
  if (error) return 'not installed';
  const [first = ''] = (stdout + stderr).split('\n');
  return first.replace(/ *\(build.*/, '');
}

/** What a program writes to its output; undefined where it is not installed or refuses the input. */
export function piped(
  program: string,
  options: readonly string[],
  input: Uint8Array,
): Uint8Array<ArrayBuffer> | undefined {
  const { status, stdout } = spawnSync(program, options, { input, maxBuffer: 2 ** 30 });
  return status === 0 ? new Uint8Array(stdout) : undefined;
}

/**
 * The file that a program makes of a file, for those that want names of both.
 *
 * @param output its name, where the ending says what it is to be
 * @throws Error where it fails
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

/** A build as @jsquash publishes it, in a memory of its own. */
interface PublishedBuild<Call> {
  readonly call: Call;
  readonly memory: WebAssembly.Memory;
}

/** Pixels as the packages' decoders and the resizer hand them over. */
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
 * Links one of the Emscripten builds: glue code, module, and the function of it that is wanted.
 *
 * @throws Error where the build has no such function
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

/** Browsers have `ImageData`, and the packages count on it. */
function standInForImageData(): void {
  Object.assign(globalThis, { ImageData: Pixels });
}
