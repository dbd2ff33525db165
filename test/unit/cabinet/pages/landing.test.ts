import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bench, photo } from '../../../../src/cabinet/pages/landing/figures.json';
import { landingPage } from '../../../../src/cabinet/pages/landing/landing-page.tsx';
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
  packs: [pack],
  stripe: {},
  tinifyApi: true,
  keepsResults: true,
  keyLog: true,
};
const page = landingPage(site, offer);

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

  it('show that a third of the bytes is true', () => {
    expect(page).toContain('about a third of the bytes');
    expect(after.length / before.length).toBeGreaterThan(0.3);
    expect(after.length / before.length).toBeLessThan(0.36);
  });
});

describe('what the front page says of bytes', () => {
  const report = readFileSync(
    join(import.meta.dirname, '../../../../bench/report/README.md'),
    'utf8',
  );
  /** Where each figure is in the report: the heading of a table, the row, and the column. */
  const places: Readonly<Record<string, readonly [string, string, number]>> = {
    JPEG: ['12 camera photos, the largest: medians of the ratios', '@jsquash/jpeg', 6],
    WebP: ['parts of 12 camera photos: medians of the ratios', 'cwebp', 6],
    AVIF: ['parts of 12 camera photos: medians of the ratios', '@jsquash/avif', 6],
    PNG: ['against others that choose a palette', '14 graphics, pngquant + oxipng', 1],
  };

  it.each(bench.rows)('is what the bench has measured of $format', ({ format, ratio }) => {
    const [heading, row, column] = places[format] ?? ['', '', 0];
    const section = report.slice(report.indexOf(`\n## ${format}\n`));
    const table = section.slice(section.indexOf(heading));
    const line = table.split('\n').find((text) => text.startsWith(`| ${row} |`)) ?? '';
    expect(line.split('|')[column + 1]?.trim()).toBe(String(ratio));
    expect(page).toContain(`${format}</strong>: ${Math.round(100 * (1 - ratio))}% smaller`);
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
      const free = landingPage(site, { ...offer, ...none });
      expect(free).toContain('1,234 files a month');
      expect(free).not.toMatch(/\$19|Buy|Pay only|bought/);
    }
  });

  it('leads those who are signed in to the cabinet, and others to their first key', () => {
    expect(page).toContain('href="/sign-in?next=/cabinet/keys"');
    expect(page).not.toContain('Open dashboard');
    const known = landingPage({ ...site, isSignedIn: true }, offer);
    expect(known).toContain('Open dashboard');
    expect(known).not.toContain('/sign-in');
    expect(known).toContain('href="/cabinet/try"');
    expect(known).not.toMatch(/without an account|free account|Go to your keys/);
  });

  it('promises to keep no more and no less than the settings do', () => {
    const none = { tinifyApi: false, keepsResults: false, keyLog: false };
    const bare = landingPage(site, { ...offer, ...none });
    expect(bare).toContain('thumbnails are removed. Images that you send are not stored.<');
    expect(bare).toContain('<strong>Not at all</strong>');
    expect(bare).not.toMatch(/up to 10 minutes|unused for|last 1,000 requests/);
    expect(page).toContain('Images that you send are not stored, except those of Tinify’s clients');
    expect(page).toContain('<strong>Not at all; with Tinify’s clients up to 10 minutes; images by');
    expect(page).toContain('Of the last 1,000 requests with a key');
    expect(page).not.toMatch(/never stored|neither stored/);
  });

  it('has a place for images, and says that they stay there', () => {
    expect(page).toContain('id="images"');
    expect(page).toContain('Your images stay on this device.');
  });

  it('links to what the operator has set, and has a picture for links to it', () => {
    expect(page).toContain('<a href="https://img.example/terms">Terms</a>');
    for (const name of ['Privacy', 'Contact', 'Source']) expect(page).not.toContain(`>${name}</a>`);
    expect(page).toContain('content="https://img.example/preview.jpg"');
  });

  it('takes the key of its call from the environment', () => {
    expect(page.replaceAll(/<[^>]*>/g, '')).toContain('Bearer $KEY');
  });
});
