import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newestMigration } from '../../../src/store/health.ts';

const names = readdirSync(join(import.meta.dirname, '../../../migrations'))
  .filter((name) => name.endsWith('.sql'))
  .sort();

it('migrations are numbered one after the other, and say what they are for', () => {
  const numbers = names.map((_, i) => String(i + 1).padStart(4, '0'));
  expect(names.map((name) => name.slice(0, 4))).toEqual(numbers);
  for (const name of names) expect(name).toMatch(/^\d{4}_[a-z0-9-]+\.sql$/);
});

it('the newest migration is the one that the health check looks for', () => {
  expect(newestMigration).toBe(names.at(-1));
});
