/**
 * `npm run landing-pictures`: optimizes the front page's photo with the service, in each of its formats, and records the
 * figures that the page states: bytes and scores. The photo is number 23 of Kodak's test photos, released for
 * unrestricted use, as a JPEG of quality 95. Then takes a screenshot of the page, for previews of links to it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { factsOf } from '../src/image/formats/facts.ts';
import { namedTargets } from '../src/image/metric/targets.ts';
import { launchBrowser } from '../test/support/browser.ts';
import { makeLocalKey } from './local/database.ts';
import { root } from './local/root.ts';
import { optimized, scoredResult, withOwnService } from './local/service.ts';

const folder = join(root, 'src/cabinet/public');
/** The figures that the page states. */
const figuresFile = join(root, 'src/cabinet/pages/landing/figures.json');

/** The formats that the page compares. */
const types = ['jpeg', 'png', 'webp', 'avif', 'jxl'] as const;

/** Larger type, and nothing to click. */
const previewStyle = `
  .site-nav, .drop-zone, .opening .stack .cluster, .opening figcaption .small { display: none }
  .page { width: calc(100% - 7rem) }
  .site-header .brand { font-size: 1.7rem }
  .site-header .brand img { width: 2.75rem; height: 2.75rem }
  .site-header .page { min-height: 5.5rem }
  .opening { align-items: center; grid-template-columns: 9fr 10fr }
  .opening .stack { --gap: 2rem }
  .opening h1 { font-size: 3.7rem }
  .opening .lead { font-size: 1.5rem }
  .opening .lead a { color: inherit; text-decoration: none }
  .opening .byte-bar { height: 1.5rem }
  .opening .bar-ends { font-size: 1.6rem; font-weight: 650 }
  .chapters { display: none }
`;

const before = await readFile(join(folder, 'before.jpg'));

await withOwnService(async ({ origin, bindings }) => {
  const key = await bindings((env) => makeLocalKey(env, 'demo@example.com'));
  const results = [];
  for (const type of types) {
    const address = `${origin}/v1/optimize?format=${type}`;
    const { file, score } = await scoredResult(address, key, before);
    results.push({ format: factsOf(type).name, bytes: file.length, score });
    if (type === 'jpeg') await writeFile(join(folder, 'after.jpg'), file);
  }
  results.sort((one, other) => one.bytes - other.bytes);
  const { width, height } = await sharp(before).metadata();
  const { bytes: after } = results.find(({ format }) => format === 'JPEG') ?? { bytes: 0 };
  const date = new Date().toISOString().slice(0, 10);
  const { bench } = JSON.parse(await readFile(figuresFile, 'utf8'));
  const photo = { width, height, before: before.length, after };
  const formats = { date, target: namedTargets.medium, results };
  await writeFile(figuresFile, `${JSON.stringify({ photo, formats, bench }, null, 2)}\n`);
  console.log(photo, results);
});

// Of the whole square: systems round it themselves.
const mark = await readFile(join(folder, 'favicon.svg'), 'utf8');
const icon = sharp(Buffer.from(mark.replace(' rx="8"', '')), { density: 405 }).resize(180);
await writeFile(join(folder, 'apple-touch-icon.png'), await icon.png({ palette: true }).toBuffer());

// The page states these figures, so it is built again first.
await withOwnService(async ({ origin, bindings }) => {
  const key = await bindings((env) => makeLocalKey(env, 'demo@example.com'));
  const preview = await optimized(`${origin}/v1/optimize?format=jpeg`, key, await shotOf(origin));
  await writeFile(join(folder, 'preview.jpg'), preview);
});

/** A screenshot of what a page opens with, besides what is to be clicked, in the size of link previews: 1200 × 630 pixels. */
async function shotOf(address: string): Promise<Buffer> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({
      viewport: { width: 1200, height: 630 },
      bypassCSP: true,
    });
    await page.goto(address, { waitUntil: 'networkidle' });
    await page.addStyleTag({ content: previewStyle });
    return await page.screenshot();
  } finally {
    await browser.close();
  }
}
