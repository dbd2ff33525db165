/**
 * Lets plain Node import `.wasm` like Workers: the default export is the compiled module.
 * `node --import ./test/support/wasm-loader.ts …`
 */
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    if (!url.endsWith('.wasm')) return next(url, context);
    const source = `import { readFileSync } from 'node:fs';
      export default new WebAssembly.Module(readFileSync(new URL(${JSON.stringify(url)})));`;
    return { format: 'module', source, shortCircuit: true };
  },
});
