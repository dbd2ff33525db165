import { expect, it } from 'vitest';
import type { Manifest } from '../../src/routes/sets/manifest.ts';
import { describeInBrowser, sharedBrowser } from '../support/browser.ts';
import { sample } from '../support/pictures.ts';
import { storedEntries } from '../support/zip.ts';

const origin = 'http://pictures.test/';
const widths = [80, 120, 160, 200, 400];

describeInBrowser('the markup of a set', (stage) => {
  async function setOf(formats: string): Promise<ReadonlyMap<string, Buffer>> {
    const key = await stage.service.keyOf(`markup-${formats.length}@example.com`);
    const form = new FormData();
    form.append('file', new Blob([await sample('photo.jpg')]), 'Ein & "Bild", 100%.jpg');
    form.append('widths', widths.join());
    form.append('formats', formats);
    const headers = { Authorization: `Bearer ${key}` };
    const response = await stage.service.fetch('/v1/sets', { method: 'POST', headers, body: form });
    return storedEntries(Buffer.from(await response.arrayBuffer()));
  }

  /** What a browser loads and shows at a size of its window. */
  async function shownAt(
    files: ReadonlyMap<string, Buffer>,
    html: string,
    { width, scale }: { readonly width: number; readonly scale: number },
  ) {
    const browser = await sharedBrowser();
    const context = await browser.newContext({
      viewport: { width, height: 400 },
      deviceScaleFactor: scale,
    });
    const loaded: string[] = [];
    await context.route(`${origin}**`, (route) => {
      const name = decodeURIComponent(route.request().url().slice(origin.length));
      if (name === '') return route.fulfill({ contentType: 'text/html', body: html });
      loaded.push(name);
      const body = files.get(name);
      return body ? route.fulfill({ body }) : route.fulfill({ status: 404 });
    });
    try {
      const page = await context.newPage();
      await page.goto(origin);
      await page.waitForFunction('document.images[0].complete');
      const image = page.locator('img');
      const box = {
        natural: await page.evaluate<number>('document.images[0].naturalWidth'),
        place: [await image.getAttribute('width'), await image.getAttribute('height')],
      };
      return { ...box, loaded };
    } finally {
      await context.close();
    }
  }

  it('loads the one file that fits, at every width and density, in the best format that is known', {
    tags: 'slow',
  }, async () => {
    const files = await setOf('avif,webp,jpeg');
    const manifest: Manifest = JSON.parse(String(files.get('manifest.json')));
    const style = '<!doctype html><style>body{margin:0}img{width:50vw;height:auto}</style>';
    const html = style + manifest.html.replaceAll('{{sizes}}', '50vw');
    for (const scale of [1, 2]) {
      for (const wanted of widths) {
        const { loaded, place } = await shownAt(files, html, {
          width: (2 * wanted) / scale,
          scale,
        });
        expect(loaded).toEqual([`Ein & _Bild_, 100%-${wanted}.avif`]);
        expect(place).toEqual(['400', '267']);
      }
    }
  });

  it('loads what every browser knows where it knows nothing else', { tags: 'slow' }, async () => {
    const files = await setOf('keep,jxl');
    const manifest: Manifest = JSON.parse(String(files.get('manifest.json')));
    const html = manifest.html.replaceAll('{{sizes}}', '80px');
    const { loaded, natural } = await shownAt(files, html, { width: 700, scale: 2 });
    // Chromium may know JPEG XL one day.
    expect(loaded).toHaveLength(1);
    expect(loaded[0]).toMatch(/-160\.(?:jpg|jxl)$/);
    expect(natural).toBeGreaterThan(0);
  });
});
