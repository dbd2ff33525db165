import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { findChromium } from '../../scripts/local/chromium.ts';
import type { Client } from './client.ts';
import { isFull } from './full.ts';
import { startTestService, type TestService } from './service.ts';

/** What tests in a browser play on: a service of their own, and visits to it. */
interface Stage {
  readonly service: TestService;
  /** A new person's browser. */
  visit(look?: Look): Promise<Visit>;
}

/** Tests in a browser; skipped where there is none. */
export function describeInBrowser(
  name: string,
  tests: (stage: Stage) => void,
  start: () => Promise<TestService> = startTestService,
): void {
  describe.skipIf(!hasBrowser)(name, () => {
    let service: TestService;
    let browser: Browser;
    beforeAll(async () => {
      [service, browser] = await Promise.all([start(), launchBrowser()]);
    });
    afterAll(async () => {
      await browser?.close();
      await service?.close();
    });
    tests({
      get service() {
        return service;
      },
      visit: (look) => Visit.start(browser, service.url, look),
    });
  });
}

/** How someone looks at the pages. */
interface Look {
  readonly colorScheme: 'light' | 'dark';
  /** CSS pixels. */
  readonly width: number;
}

/** Desktop and phone, by day and by night; each of them once where there is little time. */
export const looks: readonly Look[] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
  ...(isFull
    ? ([
        { colorScheme: 'dark', width: 1280 },
        { colorScheme: 'light', width: 390 },
      ] as const)
    : []),
];

const kept = join(import.meta.dirname, '../browser/screenshots');

/** One person's browser, which notes everything that pages must not do. */
export class Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly #origin: string;
  readonly #look: Look;
  readonly #complaints: string[] = [];

  private constructor(context: BrowserContext, page: Page, origin: string, look: Look) {
    this.context = context;
    this.page = page;
    this.#origin = origin;
    this.#look = look;
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.#complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.#complaints.push(`uncaught: ${error.message}`));
    context.on('request', (request) => {
      const url = request.url();
      const isOwn = new URL(url).origin === origin || /^(blob|data):/.test(url);
      if (!isOwn) this.#complaints.push(`request to ${url}`);
    });
  }

  static async start(
    browser: Browser,
    url: URL | string,
    look: Look = { colorScheme: 'light', width: 1280 },
  ): Promise<Visit> {
    const { origin } = new URL(url);
    const context = await browser.newContext({
      baseURL: origin,
      colorScheme: look.colorScheme,
      viewport: { width: look.width, height: look.width < 600 ? 844 : 800 },
      // who asks for codes, and from where, is limited: no test meets another's limits
      extraHTTPHeaders: { 'CF-Connecting-IP': `10.1.${part()}.${part()}` },
    });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    return new Visit(context, await context.newPage(), origin, look);
  }

  /** Signs someone in, and opens the first page of the cabinet. */
  async openCabinet(service: TestService, email: string): Promise<void> {
    await this.signIn(service, email);
    await this.page.goto('/cabinet');
    await this.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  }

  /** Signs in by the API, for a normalized address, so that the pages can be gone to at once; whom the API knows. */
  async signIn(service: TestService, email: string): Promise<Client> {
    const client = await service.signedIn(email);
    const sid = { name: 'sid', value: client.cookie('sid'), url: this.#origin };
    await this.context.addCookies([sid]);
    return client;
  }

  /** Keeps a picture of the whole page, under a name of its own for each look. */
  async screenshot(name: string): Promise<void> {
    const { colorScheme, width } = this.#look;
    await mkdir(kept, { recursive: true });
    await this.page.screenshot({
      path: join(kept, `${name}-${width}-${colorScheme}.png`),
      fullPage: true,
    });
  }

  /** What the page must never do: scroll sideways. */
  async expectNoSidewaysScroll(): Promise<void> {
    const overhang = await this.page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overhang, `${this.page.url()} is wider than the screen`).toBe(0);
  }

  /** What anyone needs of a page at this width, by day and by night. */
  async expectGoodForEveryone(): Promise<void> {
    await this.expectNoSidewaysScroll();
    for (const colorScheme of ['dark', 'light'] as const) {
      await this.page.emulateMedia({ colorScheme });
      expect(await seriousViolations(this.page), `${this.page.url()}, ${colorScheme}`).toEqual([]);
    }
    await this.page.emulateMedia({ colorScheme: this.#look.colorScheme });
  }

  /**
   * Fails when what was seen has moved by itself, as https://web.dev/articles/cls defines that.
   * @param since milliseconds of the page's clock
   */
  async expectStill(since = 0): Promise<void> {
    const shifted = await this.page.evaluate<number>(`new Promise((resolve) => {
      let sum = 0;
      const observer = new PerformanceObserver((list) => {
        for (const { hadRecentInput, startTime, value } of list.getEntries()) {
          if (!hadRecentInput && startTime > ${since}) sum += value;
        }
      });
      observer.observe({ type: 'layout-shift', buffered: true });
      // entries are handed out after a frame
      setTimeout(() => resolve(sum), 100);
    })`);
    // parts of a pixel are nothing that anyone sees
    expect(shifted, `${this.page.url()} moves`).toBeLessThan(0.001);
  }

  /** Fails when anything was logged, thrown, refused by the policy or asked of another origin. */
  expectNoComplaint(except: RegExp = /^$/): void {
    expect(this.#complaints.filter((text) => !except.test(text))).toEqual([]);
  }

  get origin(): string {
    return this.#origin;
  }

  end(): Promise<void> {
    return this.context.close();
  }
}

function part(): number {
  return 1 + Math.floor(Math.random() * 250);
}

/** Whether there is a browser to test with; without one these tests are skipped. */
const hasBrowser = findChromium() !== null;

/** Chromium without a window, and without asking servers of its maker anything. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('There is no Chromium: set CHROMIUM to one.');
  return chromium.launch({
    executablePath,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // its sandbox refuses to be run by root, as tests in containers are
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  });
}

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds serious or critical on a page, each with the elements concerned. */
export async function seriousViolations(page: Page): Promise<string[]> {
  // evaluated by the debugger, which the page's policy has no say in
  await page.evaluate(await source);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help} – ${nodes.map(({ html }) => html).join(' | ')}`);
}
