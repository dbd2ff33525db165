import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { findChromium } from '../../scripts/local/browsers.ts';
import { type Client, comingFrom } from './client.ts';
import { isFull } from './full.ts';
import { sharedTestService, type TestService } from './service.ts';

/** The environment of tests in a browser: a service, and visits to it. */
interface Stage {
  readonly service: TestService;
  /** Opens a new person's browser. */
  visit(look?: Look): Promise<Visit>;
}

/** A suite of tests in a browser; skipped if there is none. */
export function describeInBrowser(
  name: string,
  tests: (stage: Stage) => void,
  start: () => Promise<TestService> = sharedTestService,
): void {
  describe.skipIf(!hasBrowser)(name, () => {
    let service: TestService;
    let browser: Browser;
    beforeAll(async () => {
      [service, browser] = await Promise.all([start(), sharedBrowser()]);
    });
    afterAll(() => service?.close());
    tests({
      get service() {
        return service;
      },
      visit: (look) => Visit.start(browser, service.url, look),
    });
  });
}

/** The appearance in which someone views the pages. */
interface Look {
  readonly colorScheme: 'light' | 'dark';
  /** Width in CSS pixels. */
  readonly width: number;
}

/** Desktop and phone, light and dark; each only once in short runs. */
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

const screenshots = join(import.meta.dirname, '../browser/screenshots');

/** One person's browser, which records everything that pages must not do. */
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
      if (!['error', 'warning'].includes(message.type())) return;
      this.#complaints.push(`${message.text()} at ${message.location().url}`);
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
      // Code requests are limited by network, so each visit has its own to stay independent of other tests.
      extraHTTPHeaders: comingFrom(`10.1.${part()}.${part()}`),
    });
    context.setDefaultTimeout(60_000);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    return new Visit(context, await context.newPage(), origin, look);
  }

  /** Signs someone in, and opens the first page of the cabinet. */
  async openCabinet(service: TestService, email: string): Promise<void> {
    await this.signIn(service, email);
    await this.page.goto('/cabinet');
    await this.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  }

  /**
   * Signs in through the API with a normalized address, so that pages can be opened directly; returns the API client.
   */
  async signIn(service: Pick<TestService, 'signedIn'>, email: string): Promise<Client> {
    const client = await service.signedIn(email);
    const sid = { name: 'sid', value: client.cookie('sid'), url: this.#origin };
    await this.context.addCookies([sid]);
    return client;
  }

  /** Stores a screenshot of the whole page, under a separate name for each look. */
  async screenshot(name: string): Promise<void> {
    const { colorScheme, width } = this.#look;
    await mkdir(screenshots, { recursive: true });
    await this.page.screenshot({
      path: join(screenshots, `${name}-${width}-${colorScheme}.png`),
      fullPage: true,
    });
  }

  /** Fails if the page scrolls sideways. */
  async expectNoSidewaysScroll(): Promise<void> {
    const overhang = await this.page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overhang, `${this.page.url()} is wider than the screen`).toBe(0);
  }

  /** Checks the page's layout and accessibility at this width, in light and dark mode. */
  async expectGoodForEveryone(): Promise<void> {
    await this.expectNoSidewaysScroll();
    for (const colorScheme of ['dark', 'light'] as const) {
      await this.page.emulateMedia({ colorScheme });
      expect(await seriousViolations(this.page), `${this.page.url()}, ${colorScheme}`).toEqual([]);
    }
    await this.page.emulateMedia({ colorScheme: this.#look.colorScheme });
  }

  /** Waits until what is in the document has been painted, and returns the time by the page's clock, in milliseconds. */
  afterFrame(): Promise<number> {
    return this.page.evaluate<number>(
      'new Promise((take) => requestAnimationFrame(() => setTimeout(() => take(performance.now()))))',
    );
  }

  /**
   * Fails if visible content has shifted by itself, as defined by https://web.dev/articles/cls.
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
      // Entries are delivered after a frame.
      setTimeout(() => resolve(sum), 100);
    })`);
    // Fractions of a pixel are not visible.
    expect(shifted, `${this.page.url()} moves`).toBeLessThan(0.001);
  }

  /** Fails if anything was logged, thrown, refused by the policy, or requested from another origin. */
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

/** Whether a browser is available; otherwise these tests are skipped. */
const hasBrowser = findChromium() !== null;

let shared: Promise<Browser> | undefined;

/** The browser that all test files of a worker share, and that ends with the worker. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser();
  return shared;
}

/** Launches headless Chromium without requests to its vendor's servers. */
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
      // Its sandbox refuses to run as root, which is common for tests in containers.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  });
}

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules that axe-core rates lower, and every page keeps all the same. */
const alsoKept = new Set(['landmark-unique', 'empty-table-header']);

/**
 * The violations that axe-core rates serious or critical on a page, and of the rules of `alsoKept`, each with the affected
 * elements.
 */
export async function seriousViolations(page: Page): Promise<string[]> {
  // Evaluated through the debugger, to which the page's policy does not apply.
  if (await page.evaluate<boolean>('typeof axe === "undefined"')) await page.evaluate(await source);
  // Of what else it finds, which takes longer to describe than to find, axe-core describes one element for each rule.
  const violations = await page.evaluate<AxeResults['violations']>(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  );
  return violations
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || alsoKept.has(id))
    .map(({ id, help, nodes }) => `${id}: ${help} – ${nodes.map(({ html }) => html).join(' | ')}`);
}
