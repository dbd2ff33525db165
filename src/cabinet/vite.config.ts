import { join } from 'node:path';
import { defineConfig } from 'vite';

/** Pages are rendered by the Worker; Vite builds what the browser loads with them. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: 'public',
  logLevel: 'warn',
  // Threads load the code of a format when an image needs it.
  worker: { format: 'es' },
  build: {
    outDir: join(import.meta.dirname, '../../dist/cabinet'),
    // scripts/build-cabinet.ts removes old files.
    emptyOutDir: false,
    // The Worker reads the names of scripts and styles from the manifest (pages/frame.tsx).
    manifest: true,
    target: ['chrome111', 'firefox114', 'safari16.4'],
    modulePreload: { polyfill: false },
    // The Content-Security-Policy does not allow data: URLs.
    assetsInlineLimit: 0,
    rollupOptions: {
      input: ['landing.ts', 'docs.ts', 'sign-in.tsx', 'cabinet.tsx'].map((entry) =>
        join(import.meta.dirname, 'browser/entries', entry),
      ),
    },
  },
});
