import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { pageFiles } from '../../../../src/cabinet/pages/frame.tsx';

const built = join(import.meta.dirname, '../../../../dist/cabinet');

/** Total bytes of these files, each compressed separately, as they are sent. */
function compressed(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + gzipSync(readFileSync(join(built, path))).length, 0);
}

describe('what a page loads before it is seen', () => {
  it.each(['landing.ts', 'docs.ts', 'sign-in.tsx', 'cabinet.tsx'])(
    'with %s is at most 60 KB of scripts and 15 KB of styles',
    (entry) => {
      const { script, modules, styles } = pageFiles(entry);
      const scripts = compressed([script, ...modules]);
      expect(scripts).toBeGreaterThan(0);
      expect(scripts).toBeLessThanOrEqual(60_000);
      expect(styles).not.toEqual([]);
      expect(compressed(styles)).toBeLessThanOrEqual(15_000);
    },
  );
});
