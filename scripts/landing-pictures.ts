/**
 * `npm run landing-pictures`: optimizes the front page's photo with the service, and records the figures that the page
 * states about both files. The photo is number 23 of Kodak's test photos, released for unrestricted use, as a JPEG of
 * quality 95. Then takes a screenshot of the page, for previews of links to it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { launchBrowser } from '../test/support/browser.ts';
import { makeLocalKey } from './local/database.ts';
import { root } from './local/root.ts';
import { optimized, withOwnService } from './local/service.ts';

const target = join(root, 'src/cabinet/public');
/** The figures that the page states about both files. */
const figuresFile = join(root, 'src/cabinet/pages/landing/figures.json');

const before = await readFile(join(target, 'before.jpg'));

await withOwnService(async ({ origin, bindings }) => {
  const key = await bindings((env) => makeLocalKey(env, 'demo@example.com'));
  const after = await optimized(`${origin}/v1/optimize`, key, before);
  await writeFile(join(target, 'after.jpg'), after);
  const { width, height } = await sharp(before).metadata();
  const photo = { width, height, before: before.length, after: after.length };
  const figures = JSON.parse(await readFile(figuresFile, 'utf8'));
  await writeFile(figuresFile, `${JSON.stringify({ ...figures, photo }, null, 2)}\n`);
  console.log(photo);
  const preview = await optimized(`${origin}/v1/optimize?format=jpeg`, key, await shotOf(origin));
  await writeFile(join(target, 'preview.jpg'), preview);
});

/** A screenshot of the upper part of a page, in the aspect ratio of link previews. */
async function shotOf(address: string): Promise<Buffer> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 630 } });
    await page.goto(address, { waitUntil: 'networkidle' });
    return await page.screenshot();
  } finally {
    await browser.close();
  }
}
