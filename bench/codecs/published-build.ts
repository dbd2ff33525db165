/** A build as @jsquash publishes it, in a memory of its own. */
export interface PublishedBuild<Call> {
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
