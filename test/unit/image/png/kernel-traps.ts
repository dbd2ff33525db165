/**
 * Names the PNG kernel's functions that trap from now on: what is caught further out and answered with a
 * refusal is an error all the same.
 */
export function kernelTraps(): { readonly traps: readonly string[]; restore(): void } {
  const traps: string[] = [];
  const { Instance } = WebAssembly;
  WebAssembly.Instance = new Proxy(Instance, {
    construct(_, [module, imports]: [WebAssembly.Module, WebAssembly.Imports]) {
      const instance = new Instance(module, imports);
      // what no other kernel and no codec imports
      return 'data-input' in imports ? { exports: watched(instance.exports, traps) } : instance;
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
