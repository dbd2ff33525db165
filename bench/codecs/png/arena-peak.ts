/**
 * How much of the arena the PNG kernel takes at most during `work`, in bytes. The arena itself is larger,
 * since it never shrinks.
 */
export function arenaPeak(work: () => void): number {
  let most = 0;
  const { Instance } = WebAssembly;
  WebAssembly.Instance = new Proxy(Instance, {
    construct(_, [module, imports]: [WebAssembly.Module, WebAssembly.Imports]) {
      const { exports } = new Instance(module, imports);
      const { release, taken } = exports;
      if (typeof release !== 'function' || typeof taken !== 'function') return { exports };
      const look = () => {
        most = Math.max(most, taken());
      };
      // nothing is given back in another way, and the last of it is taken when a stream has ended
      const watched = ['release', 'endWriter'].map((name) => [name, before(exports[name], look)]);
      return { exports: { ...exports, ...Object.fromEntries(watched) } };
    },
  });
  try {
    work();
  } finally {
    WebAssembly.Instance = Instance;
  }
  return most;
}

/** Calls `look` first. */
function before(call: WebAssembly.ExportValue | undefined, look: () => void) {
  return (...given: unknown[]): unknown => {
    look();
    return typeof call === 'function' ? Reflect.apply(call, undefined, given) : undefined;
  };
}
