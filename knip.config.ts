import type { KnipConfig } from 'knip';

const isProduction = process.argv.includes('--production');

/**
 * What `knip` finds is used by nobody. `knip --production` leaves out the tests: what they alone use belongs into
 * `test/support`; a file may export what it uses itself for a test. `@internal` marks what a test demands of the code
 * beside it, or reads of a kernel.
 */
export default {
  ignoreExportsUsedInFile: isProduction,
  workspaces: {
    '.': {
      // `!`: in production, too
      entry: [
        'src/cabinet/browser/entries/*!',
        // the interface of the engine
        'src/image/engine.ts!',
        'src/image/{formats/*,metric}/kernel/index.ts!',
        // what the service on Node is built of (scripts/build-node.ts)
        'src/node/{main,pictures/picture-thread,pictures/kernels}.ts!',
        'scripts/*.{ts,mjs}!',
        'bench/{,tuning/}*.ts!',
        // a process of its own
        'bench/service/delivery/kept-ipx.ts!',
        // loaded by name
        'test/support/{wasm-loader,mail-stand-in,lagging-kv}.ts',
        'test/support/node/{server-process,skip-exceptions,built-server}.ts',
        // processes of tests
        'test/support/node/{metered-process,server-process,built-server}.ts',
      ],
      project: ['{src,scripts,bench}/**/*.{ts,tsx,mjs}!', 'test/**/*.ts'],
      vite: { config: 'src/cabinet/vite.config.ts' },
      // resolved by path: a codec, a font in a style sheet, a rival of benchmarks
      ignoreDependencies: ['ogv', '@fontsource-variable/familjen-grotesk', '@jsquash/oxipng'],
    },
    'packages/fewerbytes': {
      entry: [
        // what programs import (rolldown.config.ts), and what takes the place of other modules there
        'src/{bin,vite,delivery}.ts!',
        'src/{engine,pool,files}/index.ts!',
        'src/client/client.ts!',
        'src/pool/thread.ts!',
        'src/platform/chosen.ts!',
        'src/engine/{loading,stand-ins}.ts!',
      ],
      project: ['src/**/*.ts!', 'test/**/*.ts'],
      // generated
      ignore: 'src/client/api.ts',
    },
    'packages/action': {
      project: ['src/**/*.ts!', 'test/**/*.ts'],
    },
  },
  tags: ['-internal'],
  // In kernels, one number may have two names.
  exclude: ['duplicates', 'optionalPeerDependencies', 'binaries'],
} satisfies KnipConfig;
