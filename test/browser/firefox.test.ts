import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFirefox } from '../../scripts/local/browsers.ts';
import { movingBall } from '../support/animations/moving-ball.ts';
import { optimize } from '../support/engine.ts';
import { launchFirefox } from '../support/firefox.ts';
import { plainPicture, sample, smallPhoto } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

/** Files of every kind, by name. */
async function madeFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const photo = await smallPhoto();
  return new Map([
    ['photo.jpg', photo],
    ['progressive.jpg', await sharp(photo).jpeg({ progressive: true, quality: 90 }).toBuffer()],
    ['phone.jpg', await sample('phone.jpg')],
    ['interface.png', await sample('interface.png')],
    ['logo.png', await sample('logo.png')],
    ['ramp.png', await plainPicture(200, 150).png().toBuffer()],
    ['photo.webp', await sharp(photo).webp({ quality: 95 }).toBuffer()],
    ['photo.avif', await sharp(photo).resize(160).avif({ quality: 80 }).toBuffer()],
    ['ball.gif', (await movingBall('gif')).file],
    ['ball.webp', (await movingBall('webp')).file],
  ]);
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe.skipIf(findFirefox() === null)('the front page in Firefox', { tags: 'slow' }, () => {
  const endings: (() => Promise<unknown>)[] = [];
  let service: TestService;
  let page: Page;
  beforeAll(async () => {
    service = await sharedTestService();
    const browser = await launchFirefox();
    endings.push(() => browser.close());
    page = await browser.newPage();
  });
  afterAll(async () => {
    for (const end of endings) await end();
    await service?.close();
  });

  it('makes the same bytes as the engine elsewhere', { timeout: 120_000 }, async () => {
    const files = await madeFiles();
    const folder = await mkdtemp(join(tmpdir(), 'firefox-'));
    endings.push(() => rm(folder, { recursive: true }));
    const paths = [...files.keys()].map((name) => join(folder, name));
    for (const [name, file] of files) await writeFile(join(folder, name), file);
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(service.url.origin, { waitUntil: 'networkidle0' });
    // The policy of the page does not allow to fetch what blob: addresses lead to.
    await page.evaluate(`
      globalThis.results = new Set();
      const { createObjectURL } = URL;
      URL.createObjectURL = (blob) => {
        if (!(blob instanceof File)) results.add(blob);
        return createObjectURL(blob);
      };`);
    const chooser = await page.waitForSelector('input#choose-images');
    await chooser?.uploadFile(...paths);
    await page.waitForFunction(`document.body.innerText.includes('10 of 10 done.')`, {
      timeout: 90_000,
    });
    // Rows show their results, from which they are taken here, after the count says that they are done.
    await page.waitForFunction(`results.size === ${files.size}`);
    const seen = await page.evaluate(`Promise.all([...results].map(async (blob) => {
      const hash = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer());
      return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
    }))`);
    for (const [name, file] of files) {
      expect(seen, name).toContain(hashOf(optimize(Uint8Array.from(file), {}).bytes));
    }
    expect(complaints).toEqual([]);
  });
});
