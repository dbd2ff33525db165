import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { engineHash, lazyCode, licenses, wasmFiles } from './engine-plugins.ts';

/** What modules ask for the things that Node and pages do in their own ways, and what answers in the built package. */
const node = join(import.meta.dirname, 'src/platform/node.ts');
const chosen = join(import.meta.dirname, 'src/platform/chosen.ts');
const output = join(import.meta.dirname, 'dist');

const onNode = 'on-node:';
const chooseNode = `${onNode}choice`;

/**
 * Pages and Node share all code: it asks `chosen.ts` for what differs, which is for pages until an entry for Node chooses
 * otherwise. Imports stay relative, because a plain page can map other names, but a worker of it cannot.
 */
const platforms: Plugin = {
  name: 'platforms',
  resolveId(source, importer) {
    if (source.startsWith(onNode)) return source;
    const isOfPlatform = !importer || importer === chosen || importer.startsWith(onNode);
    const found = source.startsWith('.') && importer ? join(importer, '..', source) : source;
    return found === node && !isOfPlatform ? chosen : null;
  },
  async load(id) {
    if (id === chooseNode) {
      const code = `
        import { choose } from ${JSON.stringify(chosen)};
        import * as node from ${JSON.stringify(node)};
        choose(node);`;
      return { code, moduleType: 'js' };
    }
    if (!id.startsWith(onNode)) return null;
    const entry = join(import.meta.dirname, id.slice(onNode.length));
    const [interpreter = ''] = (await readFile(entry, 'utf8')).match(/^#!.*\n/) ?? [];
    const code = `${interpreter}import ${JSON.stringify(chooseNode)};
      export * from ${JSON.stringify(entry)};`;
    return { code, moduleType: 'js' };
  },
};

/** Parts of dependencies that are not used, by the ends of paths, and what takes their places. */
const unused: readonly (readonly [file: RegExp, part: RegExp, substitute: string])[] = [
  // A third of the XML parser, for HTML.
  [
    /xmldom\/lib\/entities\.js$/,
    /(?<=exports\.HTML_ENTITIES = )freeze\(\{.*?\}\)/s,
    'exports.XML_ENTITIES',
  ],
];

const leanDependencies: Plugin = {
  name: 'lean-dependencies',
  transform(code, id) {
    const found = unused.find(([file]) => file.test(id.replaceAll('\\', '/')));
    if (!found) return null;
    const [, part, substitute] = found;
    if (!part.test(code)) this.error(`${id} has changed: see what is unused of it`);
    return code.replace(part, substitute);
  },
};

/** What programs import, by the names of files. */
const entries = {
  index: 'src/engine/index.ts',
  pool: 'src/pool/index.ts',
  client: 'src/client/client.ts',
  delivery: 'src/delivery.ts',
  files: 'src/files/index.ts',
  vite: 'src/vite.ts',
};

/** What the package consists of; what runs in Node only is not there for pages, and what asks for nothing is one for all. */
const input = {
  ...Object.fromEntries(
    Object.entries({ ...entries, bin: 'src/bin.ts', 'pool-thread': 'src/pool/thread.ts' }).map(
      ([name, path]) => [name, `${onNode}${path}`],
    ),
  ),
  delivery: entries.delivery,
  'browser/index': entries.index,
  'browser/pool': entries.pool,
  'browser/pool-thread': 'src/pool/thread.ts',
};

/** Also installed: the dependencies. */
const external = [/^node:/, 'vite', 'openapi-fetch', 'tinyglobby'];

/** Whoever packs can do nothing about how long plugins take. */
const checks = { bundlerTimings: false };

export default defineConfig([
  {
    input,
    external,
    checks,
    transform: { define: engineHash },
    plugins: [lazyCode, platforms, wasmFiles, leanDependencies, licenses],
    output: { dir: output, minify: true, cleanDir: true },
  },
  {
    input: entries,
    external,
    checks,
    plugins: [dts({ dtsOnly: true, tsconfig: 'tsconfig.json' })],
    output: { dir: output },
  },
]);
