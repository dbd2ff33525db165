import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { docsGroups } from '../../../src/cabinet/pages/docs/contents.ts';
import { changeText, countText, sizeText } from '../../../src/cabinet/text/formatting.ts';
import { snippets } from '../../../src/cabinet/text/snippets.ts';
import { sampleFiles } from '../../support/pictures.ts';

const root = join(import.meta.dirname, '../../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const report = readFileSync(join(root, 'bench/report/README.md'), 'utf8');

/** The cells of the first table row that begins with this. */
function rowStarting(markdown: string, start: string): string[] {
  const line = markdown.split('\n').find((one) => one.startsWith(`| ${start}`)) ?? '';
  return line.split('|').map((cell) => cell.trim());
}

const performance = readFileSync(join(root, 'docs/performance.md'), 'utf8');

it('the README counts the languages of the code for a key, and the kilobytes of the dashboard', () => {
  const words = ['five', 'six', 'seven', 'eight'];
  const languages = words[snippets('', null).length - 5];
  expect(readme).toContain(`ready-to-use code in ${languages} languages`);
  expect(readme).toContain(`calls in ${languages} languages`);
  // The document, its stylesheet and its script; the font is that of all pages.
  const [, , document, stylesheet, script] = rowStarting(performance, '/cabinet |');
  const kilobytes = Number(document) + Number(stylesheet) + Number(script);
  expect(readme).toContain(`a web app of about ${Math.round(kilobytes / 10) * 10} KB`);
});

it('the README lists the pages of the documentation in the groups of its menu', () => {
  for (const { name, pages } of docsGroups) {
    const [, , cell = ''] = rowStarting(readme, `${name} |`);
    const written = pages.filter(({ file }) => file !== null);
    expect(Array.from(cell.matchAll(/\[(.+?)\]/g), ([, title]) => title)).toEqual(
      written.map(({ title }) => title),
    );
  }
});

/** `test/slow/demo.test.ts` compares the results with what the demo prints. */
describe('the README’s table of sizes', () => {
  it.each(sampleFiles)(
    'has the size of %s, and results that agree with themselves',
    async (file) => {
      const [, title, before = '', ...results] = rowStarting(readme, `${basename(file)}, `);
      const { width, height } = await sharp(file).metadata();
      expect(title).toContain(`, ${width} × ${height}`);
      const { size } = statSync(file);
      expect(before).toBe(sizeText(size));
      for (const result of results.slice(0, 3)) {
        const [, after = '', change = ''] = /^([\d.]+) KB, (\S+)$/.exec(result) ?? [];
        expect(changeText(size, 1000 * Number(after))).toBe(change);
      }
    },
  );

  it('agrees with the call above it', () => {
    const [, after, before] =
      /`smaller\.jpg` has ([\d,]+) bytes, the photo ([\d,]+)\./.exec(readme) ?? [];
    const short = (count = '') => sizeText(Number(count.replaceAll(',', '')));
    const [, , size, kept] = rowStarting(readme, 'photo.jpg, ');
    expect(size).toBe(short(before));
    expect(kept).toContain(`${short(after)}, `);
  });
});

it.each([
  ['JPEG, kept', 'JPEG → jpeg'],
  ['JPEG as WebP', 'JPEG → webp'],
  ['JPEG as AVIF', 'JPEG → avif'],
])('the README’s computing times and scores are those of the report: %s', (name, start) => {
  const [, , , auto, , autoScore, , fixed, , fixedScore] = rowStarting(
    report.slice(report.indexOf('**One megapixel by auto, beside quality=77**')),
    start,
  );
  const milliseconds = (text = '') => countText(Math.round(Number(text)));
  expect(rowStarting(readme, name).slice(2, 6)).toEqual([
    ...[milliseconds(auto), autoScore],
    ...[milliseconds(fixed), fixedScore],
  ]);
});
