/**
 * `npm run screenshots`: takes the screenshots of “Try it” in the README, light and dark. Starts a service with its own
 * data, optimizes the sample images in Chromium, and has the service compress the screenshots.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../test/support/browser.ts';
import { Client } from '../test/support/client.ts';
import { sampleFiles } from '../test/support/pictures.ts';
import { makeLocalKey } from './local/database.ts';
import { root } from './local/root.ts';
import { optimized, withOwnService } from './local/service.ts';

const target = join(root, 'src/cabinet/screenshots');
const images = sampleFiles.filter((file) => !file.includes('phone'));

await mkdir(target, { recursive: true });
const browser = await launchBrowser();
try {
  await withOwnService(async ({ origin, bindings }) => {
    const client = new Client(origin);
    await client.signIn('you@gmail.com');
    const key = await bindings((env) => makeLocalKey(env, 'screenshots@example.com'));
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({
        colorScheme,
        viewport: { width: 1200, height: 1175 },
      });
      await context.addCookies([{ name: 'sid', value: client.cookie('sid'), url: origin }]);
      const page = await context.newPage();
      await page.goto(`${origin}/cabinet/try`, { waitUntil: 'networkidle' });
      await tryImages(page);
      const address = `${origin}/v1/optimize?format=webp`;
      const screenshot = await optimized(address, key, await page.screenshot());
      const name = `try-it-${colorScheme}.webp`;
      await writeFile(join(target, name), screenshot);
      console.log(`${name}: ${screenshot.length} bytes`);
      await context.close();
    }
  });
} finally {
  await browser.close();
}

/** Optimizes the sample images on the page, and makes other formats of the first; waits for all of them. */
async function tryImages(page: Page): Promise<void> {
  await page.getByLabel('Choose images').setInputFiles(images);
  for (const file of images) {
    await page.getByRole('link', { name: `Download ${basename(file)}` }).waitFor();
  }
  const formats = page.getByRole('group', { name: 'Format' });
  for (const format of ['WebP', 'AVIF']) {
    await formats.getByRole('button', { name: format }).click();
    await page.getByRole('link', { name: `Download photo.${format.toLowerCase()}` }).waitFor();
  }
  // Clicks scroll.
  await page.evaluate('scrollTo(0, 0)');
}
