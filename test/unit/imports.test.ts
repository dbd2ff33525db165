import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Imports are one-directional. Each folder of src/ lists the folders from which it may import; `types` allows only type
 * imports, which vanish in compilation; `modules` are single files of other folders.
 */
const rules: Record<string, { values: string[]; types?: string[]; modules?: string[] }> = {
  // The Worker's own files: entry points, the request pipeline, bindings, errors.
  '.': {
    values: [
      ...['.', 'access', 'policy', 'payments', 'routes'],
      ...['meter', 'key-log', 'store', 'cabinet', 'telemetry'],
    ],
    types: ['image'],
  },
  routes: {
    values: [
      ...['.', 'routes', 'access', 'policy', 'meter', 'key-log'],
      ...['image', 'store', 'mail', 'payments', 'cabinet', 'telemetry'],
    ],
  },
  access: { values: ['.', 'access'] },
  policy: { values: ['policy'] },
  meter: { values: ['.', 'meter', 'policy', 'store', 'access', 'mail', 'telemetry'] },
  'key-log': {
    values: ['.', 'key-log', 'policy', 'store', 'telemetry'],
    // The alarm of an object.
    modules: ['meter/alarm.ts'],
  },
  // Mails write counts and dates as the pages do.
  mail: {
    values: ['mail', 'telemetry'],
    types: ['.', 'policy'],
    modules: ['cabinet/text/formatting.ts'],
  },
  payments: { values: ['.', 'payments'] },
  cabinet: {
    values: ['cabinet'],
    types: ['.', 'image', 'routes'],
    // Facts about formats and targets, without their code; how URLs are written; and whose addresses may sign in.
    modules: [
      ...['image/formats/facts.ts', 'image/metric/targets.ts'],
      ...['routes/delivery/url-spelling.ts', 'access/allowed-domains.ts'],
    ],
  },
  image: { values: ['image'] },
  store: { values: ['store', 'telemetry'], types: ['.', 'policy', 'access', 'payments'] },
  // What is counted, and the faults that are logged.
  telemetry: { values: ['telemetry'], types: ['.'], modules: ['errors.ts'] },
  // The home on a machine of one's own.
  node: {
    values: [
      ...['.', 'node', 'routes', 'access', 'policy'],
      ...['meter', 'key-log', 'store', 'mail', 'image', 'telemetry'],
    ],
    // Threads are opened as by the package.
    modules: [
      '../packages/fewerbytes/src/platform/node.ts',
      '../packages/fewerbytes/src/pool/job-thread.ts',
    ],
  },
};

const src = join(import.meta.dirname, '../../src');
const files = globSync('**/*.{ts,tsx}', { cwd: src }).filter((file) => !file.endsWith('.d.ts'));

/** What the rest of the service may import of src/image: the engine, facts about formats and targets, and how a page shows a set. */
const imageModules = [
  'image/engine.ts',
  'image/formats/facts.ts',
  'image/formats/format-facts.ts',
  'image/markup.ts',
  'image/metric/targets.ts',
];

describe('imports in src/ run one way', () => {
  it('is checked on every file', () => {
    expect(files.length).toBeGreaterThan(40);
  });

  it.each(files)('%s', (file) => {
    const room = roomOf(file);
    const rule = rules[room];
    expect(rule, `no rule for src/${room}`).toBeDefined();
    for (const { target, typeOnly } of relativeImports(file)) {
      const allowed = [...(rule?.values ?? []), ...(typeOnly ? (rule?.types ?? []) : [])];
      const isAllowed = allowed.includes(roomOf(target)) || rule?.modules?.includes(target);
      expect(isAllowed, `${file} imports ${target}`).toBe(true);
      if (room !== 'image' && roomOf(target) === 'image') expect(imageModules).toContain(target);
    }
  });
});

/** The folder below src/; `.` for files directly in it. */
function roomOf(file: string): string {
  const [first = '', ...rest] = file.split('/');
  return rest.length === 0 ? '.' : first;
}

function relativeImports(file: string): { target: string; typeOnly: boolean }[] {
  const text = readFileSync(join(src, file), 'utf8');
  const statements = text.matchAll(/^(?:import|export) (type )?[^;]*?from '(\.[^']*)'/gm);
  return Array.from(statements, ([, type, path = '']) => ({
    target: relative(src, join(src, dirname(file), path)),
    typeOnly: type !== undefined,
  })).filter(({ target }) => !target.startsWith('../dist/')); // what Vite has built
}
