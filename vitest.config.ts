import { defineConfig } from 'vitest/config';
import { isOnNode } from './test/support/home.ts';
import { exceptions } from './test/support/node/exceptions.ts';

/** Tests of modules that keep a state, such as the memory ledger: each file loads them anew. */
const stateful = [
  'test/unit/routes/**/*.test.ts',
  'test/unit/image/wasm/**/*.test.ts',
  'test/unit/node/pictures/threads*.test.ts',
];

/** In milliseconds; some of these tests take a minute on a quiet machine. */
const slowTimeout = 300_000;

/** For projects that start services. */
const globalSetup = isOnNode
  ? 'test/support/node/built-server.ts'
  : 'test/support/bundled-worker.ts';

/** With `TARGET=node`, services run on Node instead of in workerd, and what is particular to Workers is skipped. */
const skipped = isOnNode ? exceptions.filter((one) => !one.test).map(({ file }) => file) : [];

/** What concerns only the service on Node. */
const onNodeAlone = 'test/slow/{,faults/}node-*.test.ts';

const setupFiles = [
  ...(process.env.FILE_TIMES ? ['test/support/file-times.ts'] : []),
  ...(isOnNode ? ['test/support/node/skip-exceptions.ts'] : []),
];

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
    {
      // Threads run what was built: a plain Node cannot load the kernels from the source.
      name: 'built-threads',
      transform(code, id) {
        if (id.endsWith('packages/fewerbytes/src/platform/node.ts')) {
          return code.replace('./pool-thread.js', '../../dist/pool-thread.js');
        }
        if (!id.endsWith('/src/node/pictures/threads.ts')) return null;
        return code.replace('./picture-thread.js', '../../../dist/node/picture-thread.js');
      },
    },
  ],
  test: {
    tags: [
      { name: 'slow', description: 'Takes long for what it proves: runs in `npm run test:slow`.' },
    ],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles,
    // Two even on larger machines: most of the work is done by the services that the tests start.
    maxWorkers: 2,
    // Only what hangs should reach these, also on a machine a few times slower than usual.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The default of a second is too short for a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // Lists of faults are told whole: the summary of a run shows messages, but not the differences below them.
    chaiConfig: { truncateThreshold: 2000 },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{,packages/*/}test/unit/**/*.test.ts'],
          exclude: stateful,
          isolate: false,
        },
      },
      { extends: true, test: { name: 'stateful', include: stateful } },
      {
        extends: true,
        test: {
          name: 'services',
          include: ['test/{api,browser}/**/*.test.ts', 'packages/*/test/*.test.ts'],
          exclude: skipped,
          globalSetup,
          // loads wrangler once for each worker, and not once for each file
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'hostile',
          include: ['test/slow/hostile/**/*.test.ts'],
          testTimeout: slowTimeout,
          globalSetup,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          // Kills are held against what a client has read: it must not share a worker whose heap has grown.
          include: ['test/slow/{,sweeps/,faults/}*.test.ts'],
          exclude: [onNodeAlone],
          testTimeout: slowTimeout,
          globalSetup,
        },
      },
      {
        extends: true,
        test: {
          name: 'node',
          include: [onNodeAlone],
          env: { TARGET: 'node' },
          testTimeout: slowTimeout,
          globalSetup: 'test/support/node/built-server.ts',
        },
      },
    ],
  },
});
