import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

const corpus = process.env.CORPUS ?? '';
const folders = ['ui', 'alpha', 'pngsuite', 'jpeg-odd', 'webp', 'avif', 'apng', 'gif'];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** What sharp makes of a file; null when it cannot decode it. */
async function shown(file: Uint8Array) {
  try {
    await sharp(file).raw().toBuffer();
    return (await sharp(file).metadata()).autoOrient;
  } catch {
    return null;
  }
}

describe.runIf(corpus)('real pictures', () => {
  it.each(folders)(
    'of %s come back readable, in their size and never bigger, or are refused by name',
    async (folder) => {
      for (const name of readdirSync(join(corpus, folder))) {
        const file = Uint8Array.from(readFileSync(join(corpus, folder, name)));
        for (const format of ['keep', 'webp', 'avif']) {
          const response = await service.optimize(file, `?format=${format}`);
          const body = Buffer.from(await response.arrayBuffer());
          const label = `${folder}/${name} ${format} ${response.status} ${body.toString('latin1', 0, 200)}`;
          if (response.status !== 200) {
            expect([413, 415, 422], label).toContain(response.status);
            const isPlain = (folder === 'ui' || folder === 'alpha') && response.status !== 413;
            const isSound = folder === 'pngsuite' && !name.startsWith('x');
            expect(isPlain || isSound, label).toBe(false);
            continue;
          }
          const after = await shown(body);
          expect(after, label).not.toBeNull();
          const before = await shown(file);
          if (before) expect(after, label).toMatchObject(before);
          if (format === 'keep') expect(body.length, label).toBeLessThanOrEqual(file.length);
        }
      }
    },
    300_000,
  );
});
