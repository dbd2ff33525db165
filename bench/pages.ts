/**
 * `npm run bench:pages`: measures what the pages cost a visitor. For each page: bytes by kind, compressed as by
 * Cloudflare's edge (brotli), and the first contentful paint with an empty cache and a CPU slowed down fourfold, as the
 * median of several loads in headless Chromium; and what the front page loads to optimize its first JPEG.
 */
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { withOwnService } from '../scripts/local/service.ts';
import { launchBrowser } from '../test/support/browser.ts';
import { Client } from '../test/support/client.ts';

const samplePhoto = join(import.meta.dirname, '../test/support/samples/photo.jpg');
const loads = 7;
const slowdown = 4;
const cabinet = ['/cabinet', '/cabinet/keys', '/cabinet/statistics', '/cabinet/try'];
const paths = ['/', '/sign-in', '/docs', ...cabinet];

const kinds = ['document', 'stylesheet', 'script', 'font', 'image'] as const;
type Kind = (typeof kinds)[number];

const browser = await launchBrowser();
try {
  await withOwnService(async ({ origin }) => {
    const client = new Client(origin);
    await client.signIn('pages@gmail.com');
    const session = client.cookie('sid');
    print(['page', ...kinds.map((kind) => `${kind}, KB`), 'first paint, ms']);
    print(Array.from({ length: kinds.length + 2 }, () => '---'));
    for (const path of paths) {
      const cookie = path.startsWith('/cabinet') ? session : null;
      const bytes = await transferred(browser, origin + path, cookie);
      const paint = await firstPaint(browser, origin + path, cookie);
      print([path, ...kinds.map((kind) => (bytes[kind] / 1000).toFixed(1)), paint.toFixed(0)]);
    }
    console.log(`\nThe first JPEG on the front page loads ${await firstJpeg(browser, origin)} KB.`);
  });
} finally {
  await browser.close();
}

/** Opens a page of a new browser context, signed in with a session unless it is null. */
async function visitor(browser: Browser, url: string, session: string | null): Promise<Page> {
  const context = await browser.newContext();
  if (session !== null) await context.addCookies([{ name: 'sid', value: session, url }]);
  return context.newPage();
}

/** Bytes by kind; images and fonts are not compressed again. */
async function transferred(
  browser: Browser,
  url: string,
  session: string | null,
): Promise<Record<Kind, number>> {
  const page = await visitor(browser, url, session);
  const sums: Record<Kind, number> = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<
    Kind,
    number
  >;
  const counted: Promise<void>[] = [];
  page.on('response', (response) => {
    const kind = kinds.find((one) => one === response.request().resourceType());
    if (kind === undefined) return;
    counted.push(
      response.body().then((body) => {
        const isDense = kind === 'image' || kind === 'font';
        sums[kind] += isDense ? body.length : compressed(body);
      }),
    );
  });
  await page.goto(url, { waitUntil: 'networkidle' });
  await Promise.all(counted);
  await page.context().close();
  return sums;
}

/** What is loaded between the choice of a JPEG and its result, in thousands of bytes. */
async function firstJpeg(browser: Browser, url: string): Promise<string> {
  const page = await visitor(browser, url, null);
  await page.goto(url, { waitUntil: 'networkidle' });
  const counted: Promise<number>[] = [];
  page.context().on('response', (response) => {
    if (response.url().startsWith(url)) counted.push(response.body().then(compressed));
  });
  await page.getByLabel('Choose images').setInputFiles(samplePhoto);
  await page.getByRole('link', { name: 'Download photo.jpg' }).waitFor();
  const sum = (await Promise.all(counted)).reduce((all, one) => all + one, 0);
  await page.context().close();
  return (sum / 1000).toFixed(1);
}

function compressed(body: Buffer): number {
  return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).length;
}

/** The median time from the start of the navigation to the first contentful paint, in milliseconds. */
async function firstPaint(browser: Browser, url: string, session: string | null): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < loads; i += 1) {
    const page = await visitor(browser, url, session);
    const debugging = await page.context().newCDPSession(page);
    await debugging.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await page.goto(url, { waitUntil: 'networkidle' });
    const paint = await page.waitForFunction(
      'performance.getEntriesByName("first-contentful-paint")[0]?.startTime',
    );
    times.push((await paint.jsonValue()) as number);
    await page.context().close();
  }
  return times.sort((a, b) => a - b)[Math.floor(loads / 2)] ?? Number.NaN;
}

function print(row: readonly string[]): void {
  console.log(`| ${row.join(' | ')} |`);
}
