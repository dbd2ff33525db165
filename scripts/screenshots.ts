/**
 * `npm run screenshots`: the pictures of the cabinet in the README. Starts a
 * service with data of its own, looks at it in Chromium, and lets the service
 * itself make the pictures small.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../test/support/browser.ts';
import { Client } from '../test/support/client.ts';
import { sampleFiles } from '../test/support/pictures.ts';
import { makeLocalKey } from './local/database.ts';
import { root } from './local/root.ts';
import { optimized, withOwnService } from './local/service.ts';

const target = join(root, 'src/cabinet/screenshots');
const email = 'you@gmail.com';

/** What is shown, and how one gets there. */
const views: Record<string, (page: Page, origin: string) => Promise<void>> = {
  landing: async (page, origin) => {
    await page.goto(origin, { waitUntil: 'networkidle' });
  },
  keys: async (page, origin) => {
    await page.goto(`${origin}/cabinet/keys`, { waitUntil: 'networkidle' });
  },
  statistics: async (page, origin) => {
    await page.goto(`${origin}/cabinet/statistics`, { waitUntil: 'networkidle' });
  },
  'try-it': async (page, origin) => {
    await page.goto(`${origin}/cabinet/try`, { waitUntil: 'networkidle' });
    const pictures = sampleFiles.filter((file) => !file.includes('phone'));
    await page.getByLabel('Choose images').setInputFiles(
      await Promise.all(
        pictures.map(async (file) => ({
          name: basename(file),
          mimeType: 'image/*',
          buffer: await readFile(file),
        })),
      ),
    );
    for (const file of pictures) {
      await page.getByRole('link', { name: `Download ${basename(file)}` }).waitFor();
    }
  },
};

await mkdir(target, { recursive: true });
const browser = await launchBrowser();
try {
  await withOwnService(async ({ origin, bindings }) => {
    const client = new Client(origin);
    await client.signIn(email);
    for (const [name, comment] of [
      ['Shop', 'product pictures, nightly import'],
      ['Blog', 'uploads of the editors'],
    ]) {
      await client.post('/v1/keys', { name, comment });
    }
    const key = await bindings(async (env) => {
      await pretendUse(env.DB);
      return makeLocalKey(env, 'screenshots@example.com');
    });
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({
        colorScheme,
        viewport: { width: 1200, height: 900 },
      });
      await context.addCookies([{ name: 'sid', value: client.cookie('sid'), url: origin }]);
      const page = await context.newPage();
      for (const [name, show] of Object.entries(views)) {
        await show(page, origin);
        const address = `${origin}/v1/optimize?format=webp`;
        const picture = await optimized(address, key, await page.screenshot());
        await writeFile(join(target, `${name}-${colorScheme}.webp`), picture);
        console.log(`${name}-${colorScheme}.webp: ${picture.length} bytes`);
      }
      await context.close();
    }
  });
} finally {
  await browser.close();
}

/** Five weeks in which the keys were busy, less so on Sundays. */
async function pretendUse(db: D1Database): Promise<void> {
  const day = 24 * 60 * 60 * 1000;
  for (let ago = 0; ago < 35; ago += 1) {
    const date = new Date(Date.now() - ago * day);
    const files = (date.getUTCDay() === 0 ? 40 : 140) + ((ago * 37) % 60);
    await db
      .prepare(
        `INSERT OR REPLACE INTO usage_days (user_id, day, key_id, files, bytes_in, bytes_out, bytes_saved)
         SELECT k.user_id, ?2, k.id, n.files, n.files * 812000, n.files * 291000, n.files * 521000
         FROM api_keys k JOIN users u ON u.id = k.user_id AND u.email = ?1
         JOIN (SELECT 'Shop' AS name, ?3 AS files UNION ALL SELECT 'Blog', ?4) n ON n.name = k.name`,
      )
      .bind(email, date.toISOString().slice(0, 10), files, Math.round(files / 4))
      .run();
  }
  await db
    .prepare(
      `UPDATE api_keys SET all_time_used = (SELECT sum(files) FROM usage_days WHERE key_id = api_keys.id),
                           last_used_at = ?1 WHERE id IN (SELECT key_id FROM usage_days)`,
    )
    .bind(Date.now())
    .run();
}
