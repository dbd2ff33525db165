import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Client } from './client.ts';
import type { TestService } from './service.ts';

/** How someone looks at the pages. */
export interface Look {
  readonly colorScheme: 'light' | 'dark';
  /** CSS pixels. */
  readonly width: number;
}

/** Phone and desktop, by day and by night. */
export const looks: readonly Look[] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'light', width: 390 },
  { colorScheme: 'dark', width: 390 },
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
