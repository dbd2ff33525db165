import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bench, formats, photo } from '../../../../src/cabinet/pages/landing/figures.json';
import { landingPage } from '../../../../src/cabinet/pages/landing/landing-page.tsx';
import { changeText, sizeText } from '../../../../src/cabinet/text/formatting.ts';
import { inspect } from '../../../../src/image/formats/registry.ts';
import { bodyLimits } from '../../../../src/policy/limits.ts';
import { jpeg, largestPicture } from '../../../support/inspections.ts';

const folder = join(import.meta.dirname, '../../../../src/cabinet/public');
const picture = (name: string) => new Uint8Array(readFileSync(join(folder, name)));
const [before, after] = [picture('before.jpg'), picture('after.jpg')];

const links = { privacy: '', terms: 'https://img.example/terms', contact: '', source: '' };
const site = { serviceName: 'Pictures', origin: 'https://img.example', links };
const pack = { id: 'small', files: 10_000, amount: 1900, currency: 'usd' };
const offer = {
  freeFilesPerMonth: 1234,
  allowedEmailDomains: new Set(['example.org', '*.edu']),
  packs: [pack],
  stripe: {},
  tinifyApi: true,
  keepsResults: true,
  keyLog: true,
};
const refusal = { status: 401, detail: 'Send another key.' };
const page = landingPage(site, offer, refusal);
const text = textOf(page);

/** What is read, with single spaces. */
function textOf(html: string): string {
  return html.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
}

describe('the pictures of the front page', () => {
  it('have the sizes that it says', () => {
    expect([before.length, after.length]).toEqual([photo.before, photo.after]);
    const { width, height } = photo;
    for (const file of [before, after]) {
      expect(inspect(file)).toMatchObject({
        kind: 'image',
        image: { type: 'jpeg', width, height },
      });
    }
  });

  it('have their sizes on them, and the difference below', () => {
    expect(text).toContain(`Before, ${sizeText(before.length)}After, ${sizeText(after.length)}`);
    const saved = sizeText(before.length - after.length);
    expect(text).toContain(`${saved} saved, ${changeText(before.length, after.length)}`);
  });
});

describe('where nothing is sold, the front page', () => {
  const free = textOf(landingPage(site, { ...offer, stripe: null }, refusal));

  it('says what follows the free files', () => {
    expect(free).toContain(
      'No more are for sale here: beyond 1,234 files a month, run it yourself.',
    );
    expect(text).not.toContain('No more are for sale');
  });

  it('states a cost that every image of docs/performance.md stays below', () => {
    const [, bound = ''] = free.match(/1,000 images come to under \$(0\.\d+)/) ?? [];
    const performance = readFileSync(
      join(import.meta.dirname, '../../../../docs/performance.md'),
      'utf8',
    );
    const [cost = ''] = performance.match(/Dollars for 1,000 \|[\s\S]*?\n\n/) ?? [];
    const dollars = Array.from(cost.matchAll(/0\.0\d{3}/g), ([figure]) => Number(figure));
    expect(dollars.length).toBeGreaterThan(8);
    expect(Math.max(...dollars)).toBeLessThan(Number(bound));
    expect(Math.max(...dollars)).toBeGreaterThan(Number(bound) / 2);
  });
});

it('the front page links to its source where that is set, and to its license anyway', () => {
  const source = 'https://git.example/pictures';
  const linked = landingPage({ ...site, links: { ...links, source } }, offer, refusal);
  expect(linked).toContain(`figures are in <a href="${source}">the source</a>`);
  expect(page).toContain('figures are in the source,');
  for (const html of [linked, page]) expect(html).toContain('<a href="/license.txt">MIT</a>');
});

describe('what the front page says of bytes', () => {
  const report = readFileSync(
    join(import.meta.dirname, '../../../../bench/report/README.md'),
    'utf8',
  );
  const cameraPhotos = 'parts of 12 camera photos: medians of the ratios';
  /** Where the report has the figure of each opponent: the heading of a table, the row, and the column. */
  const places: Readonly<Record<string, readonly [string, string, number]>> = {
    'MozJPEG in sharp': ['12 camera photos, the largest: medians', 'sharp, mozjpeg', 6],
    'libwebp at its slowest, with sharp YUV': [
      cameraPhotos,
      '@jsquash/webp, method 6, sharp YUV',
      6,
    ],
    'avifenc at about our speed': [cameraPhotos, 'avifenc', 6],
    'libaom 3.15 in sharp, which takes five times as long': [
      '6 of 25 exact photos: medians of the ratios',
      'sharp',
      6,
    ],
    'pngquant with oxipng': [
      'against others that choose a palette',
      '14 graphics, pngquant + oxipng',
      1,
    ],
  };

  /** The cells of the row about an opponent, its name first. */
  function cellsAbout({ format, against }: (typeof bench.rows)[number]): readonly string[] {
    const [heading, row] = places[against] ?? ['', ''];
    const section = report.slice(report.indexOf(`\n## ${format}\n`));
    const table = section.slice(section.indexOf(heading));
    const line = table.split('\n').find((one) => one.startsWith(`| ${row} |`)) ?? '';
    return line.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, ''));
  }

  it.each(bench.rows)('is what the bench has measured beside $against', (row) => {
    const { format, against, ratio } = row;
    expect(cellsAbout(row)[places[against]?.[2] ?? 0]).toBe(ratio.toFixed(3));
    const percent = Math.round(100 * Math.abs(1 - ratio));
    expect(text).toContain(
      `${format} beside ${against}${percent}% ${ratio < 1 ? 'smaller' : 'larger'}`,
    );
  });

  it('includes what is smaller than ours, and how long it takes', () => {
    const [larger, ...others] = bench.rows.filter(({ ratio }) => ratio > 1);
    expect(others).toEqual([]);
    expect(larger?.format).toBe('AVIF');
    // The share of their CPU time that ours takes.
    expect(Math.round(1 / Number(larger && cellsAbout(larger)[8]))).toBe(5);
  });

  it('has five formats of the photo, at one score unless nothing is lost', () => {
    expect(formats.results.map(({ format }) => format).sort()).toEqual([
      ...['AVIF', 'JPEG', 'JPEG XL', 'PNG', 'WebP'],
    ]);
    for (const { format, bytes, score } of formats.results) {
      if (format === 'JPEG') expect(bytes).toBe(after.length);
      if (format === 'PNG') expect(score).toBe(100);
      else expect(Math.abs(score - formats.target), format).toBeLessThan(2);
      expect(text).toMatch(new RegExp(`${format}[\\d.]+ KB[−+]\\d+%${score.toFixed(1)}`));
    }
  });
});

describe('the front page', () => {
  it('promises no larger files and pictures than are taken', () => {
    expect(page).toContain(
      `Up to ${bodyLimits.maxFileBytes / 2 ** 20} MiB, including 50-megapixel JPEGs`,
    );
    // With as many bytes per pixel as the file size limit allows.
    expect(largestPicture(jpeg, 'jpeg', {}, bodyLimits.maxFileBytes / 50e6)).toBeGreaterThan(
      49.9e6,
    );
  });

  it('has the offer of this deployment', () => {
    expect(page).toContain('1,234 files a month');
    expect(page).toContain('$19.00');
    expect(page).toContain('$1.90 per 1,000 files');
  });

  it('offers nothing that cannot be bought', () => {
    expect(page).toContain('Buy 10,000 files');
    for (const none of [{ stripe: null }, { packs: [] }]) {
      const free = landingPage(site, { ...offer, ...none }, refusal);
      expect(free).toContain('1,234 files a month');
      expect(free).not.toMatch(/\$19|Buy|Pay only|bought/);
    }
  });

  it('leads those who are signed in to the cabinet, and others to their first key', () => {
    expect(page).toContain('href="/sign-in?next=/cabinet/keys"');
    expect(page).not.toContain('Open dashboard');
    const known = landingPage({ ...site, isSignedIn: true }, offer, refusal);
    expect(known).toContain('Open dashboard');
    expect(known).not.toContain('/sign-in');
    expect(known).toContain('href="/cabinet/try"');
    expect(known).not.toMatch(/without an account|free account|Go to your keys/);
  });

  it('promises to keep no more and no less than the settings do', () => {
    const none = { tinifyApi: false, keepsResults: false, keyLog: false };
    const bare = landingPage(site, { ...offer, ...none }, refusal);
    expect(bare).toContain('thumbnails are removed. Images that you send are not stored.<');
    expect(bare).toContain('>Not at all<');
    expect(bare).not.toMatch(/up to 10 minutes|unused for|last 1,000 requests/);
    expect(page).toContain('Images that you send are not stored, except those of Tinify’s clients');
    expect(page).toContain('>Not at all; with Tinify’s clients up to 10 minutes; images by URL');
    expect(page).toContain('Of the last 1,000 requests with a key');
    expect(page).not.toMatch(/never stored|neither stored/);
  });

  it('has a place for images, and says that they stay there', () => {
    expect(page).toContain('id="images"');
    expect(page).toContain(
      'Your images stay on this device: as many as you like, up to 100 megapixels.',
    );
  });

  it('links to what the operator has set, and has a picture for links to it', () => {
    expect(page).toContain('<a href="https://img.example/terms">Terms</a>');
    for (const name of ['Privacy', 'Contact', 'Source']) expect(page).not.toContain(`>${name}</a>`);
    expect(page).toContain('content="https://img.example/preview.jpg"');
    expect(page).toContain('content="https://img.example/"');
  });

  it('takes the key of its call from the environment', () => {
    expect(text).toContain('Bearer $KEY');
  });

  it('shows its call in six languages, one at a time, and what a wrong key gets', () => {
    const choice = page.slice(page.indexOf('class="code-choice"'), page.indexOf('</fieldset>'));
    const names = Array.from(
      choice.matchAll(/type="radio"[^>]* value="(\w+)"/g),
      ([, name]) => name,
    );
    expect(names).toEqual(['curl', 'Node', 'Python', 'PHP', 'Go', 'Ruby']);
    expect(choice.match(/ checked=""/g)).toHaveLength(1);
    expect(text).toContain('&quot;detail&quot;: &quot;Send another key.&quot;');
  });

  it('names what it can be used with; clients of Tinify only where they are answered', () => {
    const always = ['Command line', 'Library', 'Vite', 'GitHub Action', 'Images by URL'];
    for (const name of [...always, 'WordPress', 'PHP, Python']) expect(text).toContain(name);
    const without = textOf(landingPage(site, { ...offer, tinifyApi: false }, refusal));
    for (const name of always) expect(without).toContain(name);
    expect(without).not.toMatch(/WordPress|PHP, Python/);
  });

  it('says whose addresses get an account, unless all do', () => {
    expect(text).toContain('Addresses at example.org and any .edu domain may sign in.');
    const open = textOf(landingPage(site, { ...offer, allowedEmailDomains: '*' }, refusal));
    expect(open).not.toContain('may sign in');
  });

  it('fills the row of prices where nothing is sold', () => {
    const cards = (html: string) => html.match(/class="card price-card"/g)?.length;
    const contact = 'mailto:ask@img.example';
    const more = [1, 2, 3].map((n) => ({ ...pack, id: `pack-${n}` }));
    expect(cards(landingPage(site, { ...offer, stripe: null }, refusal))).toBe(3);
    expect(cards(landingPage(site, { ...offer, packs: more }, refusal))).toBe(4);
    const asking = landingPage(
      { ...site, links: { ...links, contact } },
      { ...offer, stripe: null },
      refusal,
    );
    expect(cards(asking)).toBe(4);
    expect(asking).toContain(`<a class="button" href="${contact}">`);
  });

  it('says the same name and slogan in its title and in links to it', () => {
    const title = 'Pictures – compress images, keep their looks';
    expect(page).toContain(`<title>${title}</title>`);
    expect(page).toContain(`property="og:title" content="${title}"`);
  });
});
