import { LoadingError } from '../loading-error.ts';
import { readFile } from '../platform/node.ts';

// Loads code and kernels when they are first needed.

/** Code that is loaded when it is first needed. */
interface Lazy {
  load(): Promise<void>;
}

/** What was needed and had not been loaded. */
const missing = new Set<Lazy>();
let misses = 0;

/**
 * Notes that something is needed that has not been loaded, and leaves the work at hand.
 * @throws Error always; it does not matter who catches it, because the work is repeated (`withCode`)
 */
export function demand(lazy: Lazy): never {
  missing.add(lazy);
  misses += 1;
  throw new Error('code is needed that has not been loaded');
}

/** @throws LoadingError in the place of any other error */
export async function loading(load: Promise<unknown>): Promise<void> {
  try {
    await load;
  } catch (cause) {
    throw new LoadingError(cause instanceof Error ? cause.message : `${cause}`, { cause });
  }
}

/**
 * Does work, and repeats it with the code that it lacked, if there was any.
 * @throws LoadingError if that cannot be loaded
 */
export async function withCode<Made>(work: () => Made | Promise<Made>): Promise<Made> {
  for (;;) {
    const before = misses;
    try {
      const made = await work();
      if (misses === before) return made;
    } catch (error) {
      if (misses === before) throw error;
    }
    // Several works may lack the same.
    for (const lazy of [...missing]) {
      await loading(lazy.load());
      missing.delete(lazy);
    }
  }
}

/** A compiled WebAssembly module that is bound where it is imported once it has been loaded. */
interface PendingModule {
  readonly url: URL;
  bind(compiled: WebAssembly.Module): void;
  loading: Promise<void> | null;
}

/** Missing in the types of Workers, with which the tests are checked that import this. */
interface Compiler {
  compile(bytes: Uint8Array<ArrayBuffer> | ArrayBuffer): Promise<WebAssembly.Module>;
  compileStreaming(response: Response): Promise<WebAssembly.Module>;
}

const compiler = WebAssembly as unknown as Compiler;

const pending = new Map<string, PendingModule>();

/** Called by the modules that stand for `.wasm` files in the built package (engine-plugins.ts). */
export function addModule(name: string, url: URL, bind: PendingModule['bind']): void {
  pending.set(name, { url, bind, loading: null });
}

/**
 * Loads the modules of these names that the code loaded so far has named; each once, unless it fails.
 * @param isWanted decides by its name
 */
export async function loadModules(isWanted: (name: string) => boolean): Promise<void> {
  const wanted = [...pending].filter(([name]) => isWanted(name));
  await Promise.all(wanted.map(([, module]) => loadOnce(module)));
}

async function loadOnce(module: PendingModule): Promise<void> {
  module.loading ??= load(module);
  try {
    await module.loading;
  } catch (error) {
    module.loading = null;
    throw error;
  }
}

async function load({ url, bind }: PendingModule): Promise<void> {
  if (url.protocol === 'file:') {
    bind(await compiler.compile(await readFile(url)));
    return;
  }
  const response = await fetch(url);
  const type = response.headers.get('Content-Type') ?? '';
  // Some servers answer with a page when there is no such file.
  if (!response.ok || type.startsWith('text/html')) {
    const problem = response.ok ? 'its server sends a page instead' : `status ${response.status}`;
    throw new Error(`${url} cannot be loaded: ${problem}`);
  }
  // Servers that do not know the file type send another media type, which streaming refuses.
  bind(
    type === 'application/wasm'
      ? await compiler.compileStreaming(response)
      : await compiler.compile(await response.arrayBuffer()),
  );
}
