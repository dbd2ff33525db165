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
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
