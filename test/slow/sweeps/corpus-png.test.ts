import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pixels } from '../../support/pictures.ts';
import { inspection, read } from '../../unit/image/formats/png/reading.ts';

const corpus = process.env.CORPUS ?? '';

function filesOf(folder: string): string[] {
  return readdirSync(join(corpus, folder)).filter((name) => name.endsWith('.png'));
}

describe.skipIf(!corpus)('the PNG files of the corpus', () => {
  it.each(['kodak', 'ui', 'alpha'])('are what an independent decoder sees: %s', async (folder) => {
    const different: string[] = [];
    for (const name of filesOf(folder)) {
      const file = readFileSync(join(corpus, folder, name));
      if (!Buffer.from(read(file)).equals(await pixels(file))) different.push(name);
    }
    expect(different).toEqual([]);
  });

  it('of PngSuite are too, 16-bit samples to one step, unless they are broken', async () => {
    const different: string[] = [];
    for (const name of filesOf('pngsuite').filter((name) => !name.startsWith('x'))) {
      const file = readFileSync(join(corpus, 'pngsuite', name));
      const tolerance = inspection(file)?.bitDepth === 16 ? 1 : 0;
      const [ours, theirs] = [Buffer.from(read(file)), await pixels(file)] as const;
      const distances = theirs.map((sample, i) => Math.abs(sample - (ours[i] ?? 0)));
      if (ours.length !== theirs.length || distances.some((distance) => distance > tolerance)) {
        different.push(name);
      }
    }
    expect(different).toEqual([]);
  });

  it('of PngSuite that are broken are refused but for a checksum', () => {
    const broken = filesOf('pngsuite').filter((name) => name.startsWith('x'));
    const outcomes = broken.map((name) => read(readFileSync(join(corpus, 'pngsuite', name))));
    // Browsers do not look at the checksum of image data.
    expect(broken.filter((_, i) => typeof outcomes[i] !== 'string')).toEqual(['xcsn0g01.png']);
    expect(outcomes).not.toContain('damaged');
  });
});
