import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [
    {
      // As in Workers: a `.wasm` import is a compiled module.
      name: 'wasm-modules',
      enforce: 'pre',
      load(id) {
        if (!id.endsWith('.wasm')) return null;
        return `import { readFileSync } from 'node:fs';
          export default new WebAssembly.Module(readFileSync(${JSON.stringify(id)}));`;
      },
    },
  ],
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    // most of the work is done by the services that the tests start, not by vitest's own processes
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
