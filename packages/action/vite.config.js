import { defineConfig } from 'vite';

/** One file with everything in it: a runner installs nothing. */
export default defineConfig({
  build: {
    ssr: 'src/index.ts',
    target: 'node20',
    minify: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: { output: { entryFileNames: 'index.js' } },
  },
  ssr: { noExternal: true },
});
