import type { Response } from 'playwright-core';
import sharp from 'sharp';
import { generate } from 'unpic/providers/ipx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/local/browsers.ts';
import { sharedBrowser } from '../support/browser.ts';
import { type DeliveringService, startDeliveringService } from '../support/delivering-service.ts';
import { plainPicture } from '../support/pictures.ts';

let delivering: DeliveringService;
let base: string;

/** The widths in which the page offers its image. */
const offered = [400, 720, 800, 1200, 1440, 2400];
/** Windows in CSS pixels, and their densities: each needs one of these widths, and no other would do as well. */
const windows = [400, 720, 1200].flatMap((width) =>
  [1, 2].map((density) => ({ width, density, needed: width * density })),
);

interface View {
  /** The URL that the image of the page has chosen. */
  readonly chosen: string;
  /** In CSS pixels; 0 if it is broken. */
  readonly naturalWidth: number;
  /** What was loaded for images, in order, redirects among it. */
  readonly responses: readonly Response[];
}

/** Opens a page of another site than the service's, with one image. */
async function withPage(
  image: string,
  { width, density }: { readonly width: number; readonly density: number },
  work: (view: View) => Promise<void>,
): Promise<void> {
  const html = `<!doctype html><html lang="en"><title>Pictures</title>${image}</html>`;
  const url = delivering.foreign.serve('/page.html', Buffer.from(html), {
    'Content-Type': 'text/html; charset=utf-8',
  });
  const browser = await sharedBrowser();
  const viewport = { width, height: 600 };
  const context = await browser.newContext({ viewport, deviceScaleFactor: density });
  try {
    const page = await context.newPage();
    const responses: Response[] = [];
    page.on('response', (response) => {
      if (response.request().resourceType() === 'image') responses.push(response);
    });
    await page.goto(url, { waitUntil: 'networkidle' });
    const shown = await page.evaluate<Omit<View, 'responses'>>(`(() => {
      const { currentSrc: chosen, naturalWidth } = document.querySelector('main img');
      return { chosen, naturalWidth };
    })()`);
    await work({ ...shown, responses });
  } finally {
    await context.close();
  }
}

const sized = (width: number) => generate('/wide.png', { width }, { baseURL: base });

describe.skipIf(findChromium() === null)('a page with images by URL', () => {
  beforeAll(async () => {
    delivering = await startDeliveringService();
    const wide = await plainPicture(2400, 60).png().toBuffer();
    delivering.foreign.serve('/wide.png', wide, { 'Content-Type': 'image/png' });
    await delivering.site('pages');
    base = `${delivering.origin}/i/pages`;
  });
  afterAll(() => delivering?.close());

  it.each(windows)(
    'loads the candidate that is meant for $width pixels at density $density, and nothing else',
    { tags: 'slow' },
    async ({ needed, ...window }) => {
      const srcset = offered.map((width) => `${sized(width)} ${width}w`).join(', ');
      const image = `<main><img alt="" sizes="100vw" srcset="${srcset}" src="${sized(800)}"></main>`;
      await withPage(image, window, async ({ chosen, naturalWidth, responses }) => {
        expect(chosen).toBe(sized(needed));
        expect(responses.map((response) => response.url())).toEqual([chosen]);
        const [response] = responses;
        expect(response?.status()).toBe(200);
        const { width, format } = await sharp(await response?.body()).metadata();
        expect(width).toBe(needed);
        expect(response?.headers()['content-type']).toBe(
          `image/${format === 'heif' ? 'avif' : format}`,
        );
        // The browser has decoded it, and shows it at its density.
        expect(naturalWidth).toBe(window.width);
      });
    },
  );

  it('shows the original where nothing can be made of it', { tags: 'slow' }, async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>';
    const headers = { 'Content-Type': 'image/svg+xml' };
    const original = delivering.foreign.serve('/drawing.svg', Buffer.from(svg), headers);
    const image = `<main><img alt="" src="${base}/w_20/drawing.svg"></main>`;
    const window = { width: 400, density: 1 };
    await withPage(image, window, async ({ naturalWidth, responses }) => {
      expect(naturalWidth).toBe(30);
      expect(responses.map((response) => response.status())).toEqual([302, 200]);
      expect(responses.at(-1)?.url()).toBe(original);
    });
  });
});
