import { defineConfig } from 'vite';
import { engineHash, lazyCode, wasmFiles } from '../fewerbytes/engine-plugins.ts';

/** One folder with everything in it, the engine and its kernels included: a runner installs nothing. */
export default defineConfig({
  plugins: [lazyCode, wasmFiles],
  define: engineHash,
  build: {
    ssr: true,
    ssrEmitAssets: true,
    target: 'node20',
    minify: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      input: { index: 'src/index.ts', 'pool-thread': '../fewerbytes/src/pool/thread.ts' },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
  ssr: { noExternal: true },
});
