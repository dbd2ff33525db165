/**
 * Names the functions of a kernel that trap from now on: what is caught further out and answered with a
 * refusal is an error all the same.
 *
 * @param file of the kernel's that imports functions of the host, as no other kernel and no codec has it
 */
export function kernelTraps(file: 'bit-reader' | 'data-input'): {
  readonly traps: readonly string[];
  restore(): void;
} {
  const traps: string[] = [];
  const { Instance } = WebAssembly;
  WebAssembly.Instance = new Proxy(Instance, {
    construct(_, [module, imports]: [WebAssembly.Module, WebAssembly.Imports]) {
      const instance = new Instance(module, imports);
      return file in imports ? { exports: watched(instance.exports, traps) } : instance;
    },
  });
  return {
    traps,
    restore: () => {
      WebAssembly.Instance = Instance;
    },
  };
}

function watched(exports: WebAssembly.Exports, traps: string[]): WebAssembly.Exports {
  return Object.fromEntries(
    Object.entries(exports).map(([name, value]) => {
      if (typeof value !== 'function') return [name, value];
      const call = (...given: unknown[]): unknown => {
        try {
          return Reflect.apply(value, undefined, given);
        } catch (error) {
          if (error instanceof WebAssembly.RuntimeError) traps.push(`${name}: ${error.message}`);
          throw error;
        }
      };
      return [name, call];
    }),
  );
}
