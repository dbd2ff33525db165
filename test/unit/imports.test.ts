import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Imports run one way. Each room of src/ lists the rooms that it may import
 * from; `types` may be imported by name only, and vanish when compiled; `modules`
 * are single files of other rooms.
 */
const rules: Record<string, { values: string[]; types?: string[]; modules?: string[] }> = {
  // the Worker's own files: entries, journey, bindings, errors
  '.': {
    values: ['.', 'access', 'policy', 'payments', 'routes', 'meter', 'store', 'cabinet'],
    types: ['image'],
  },
  routes: {
    values: [
      ...['.', 'routes', 'access', 'policy', 'meter'],
      ...['image', 'store', 'mail', 'payments', 'cabinet'],
    ],
  },
  access: { values: ['.', 'access'] },
  policy: { values: ['policy'] },
  meter: { values: ['.', 'meter', 'policy', 'store', 'access', 'mail'] },
  mail: { values: ['mail'], types: ['policy'] },
  payments: { values: ['.', 'payments'] },
  cabinet: {
    values: ['cabinet'],
    types: ['.', 'image', 'routes'],
    // facts about formats and targets, without their code
    modules: ['image/formats/facts.ts', 'image/metric/targets.ts'],
  },
  image: { values: ['image'] },
  store: { values: ['store'], types: ['policy', 'access', 'payments'] },
};

const src = join(import.meta.dirname, '../../src');
const files = globSync('**/*.{ts,tsx}', { cwd: src }).filter((file) => !file.endsWith('.d.ts'));

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
    }
  });
});

/** The folder below src/, `.` for the files beside them. */
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
