import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  megapixelLimits,
  rateLimits,
} from '../../../../../../src/cabinet/pages/docs/limits/figures.ts';
import { imageTypes } from '../../../../../../src/image/formats/facts.ts';
import { mostPixels } from '../../../../../../src/image/pipeline/predicted-memory.ts';
import { fileLimit } from '../../../../../../src/routes/optimize/held-body.ts';
import { jpeg, png } from '../../../../../support/inspections.ts';
import { largestPicture, pictureKinds } from '../../../../../support/largest-picture.ts';

const root = join(import.meta.dirname, '../../../../../..');

const megapixels = (pixels: number) => Number((pixels / 1e6).toFixed(1));

describe('the limits of the documentation', () => {
  it('names every kind of picture that is asked about', () => {
    expect(megapixelLimits.map(({ source }) => source)).toEqual(Object.keys(pictureKinds));
  });

  it.each(megapixelLimits)('$source: what the planner takes', ({ source, reduced, ...own }) => {
    const make = pictureKinds[source];
    if (!make) throw new Error(`no ${source}`);
    const planned = imageTypes.map((type) => [type, megapixels(largestPicture(make, type))]);
    expect(own).toEqual(Object.fromEntries(planned));
    const small = imageTypes.map((type) => largestPicture(make, type, { width: 800 }));
    expect(reduced).toBe(megapixels(Math.min(...small)));
  });

  it('says what the README says', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const [, section = ''] = readme.split('\n## How large\n');
    const [table = ''] = /^\| megapixels[\s\S]*?\n\n/m.exec(section) ?? [];
    const [, , ...rows] = table.trim().split('\n');
    expect(rows).toEqual(
      megapixelLimits.map(({ source, ...cells }) => {
        const figures = Object.values(cells).map((value) => value.toFixed(1));
        return `| ${[source, ...figures].join(' | ')} |`;
      }),
    );
    expect(section).toContain(`no picture may have more than\n${mostPixels / 1e6} megapixels`);
  });

  it.each([
    ['jpeg', jpeg],
    ['png', png],
  ] as const)('bounds a %s that stays what it is by its file, and by all pixels', (type, make) => {
    const filling = (bytes: number) => largestPicture(make, type, {}, bytes) * bytes;
    expect(filling(1.5) / fileLimit).toBeCloseTo(1, 2);
    expect(filling(0.5) / fileLimit).toBeCloseTo(1, 2);
    expect(megapixels(largestPicture(make, type, {}, 0.1))).toBe(megapixels(mostPixels));
  });

  it('has the rates of wrangler.toml', () => {
    const toml = readFileSync(join(root, 'wrangler.toml'), 'utf8');
    const bindings = toml.matchAll(
      /^name = "(\w+_RATE_LIMIT)"\nnamespace_id = "\d+"\nsimple = \{ limit = (\d+), period = 60 \}$/gm,
    );
    const configured = Object.fromEntries(
      [...bindings].map(([, name, limit]) => [name, Number(limit)]),
    );
    const documented = rateLimits.map(({ binding, perMinute }) => [binding, perMinute]);
    expect(Object.fromEntries(documented)).toEqual(configured);
  });
});
