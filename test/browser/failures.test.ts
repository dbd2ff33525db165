import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { plainPicture } from '../support/pictures.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { Visit } from '../support/visit.ts';

/** What a browser logs by itself when an answer is an error, or none comes. */
const loadFailed = /^Failed to load resource/;

/** Ways in which a call can go wrong, and what people should read then. */
const failures: readonly {
  what: string;
  answer: (route: Route) => Promise<void>;
  words: RegExp;
}[] = [
  {
    what: 'too many requests',
    answer: (route) => refuse(route, 429, 'too_many_requests', { 'Retry-After': '3' }),
    words: /try again in 3 seconds/i,
  },
  {
    what: 'a gateway that speaks no JSON',
    answer: (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
    words: /try again in a moment/i,
  },
  {
    what: 'an overloaded service',
    answer: (route) => refuse(route, 503, 'overloaded', { 'Retry-After': '2' }),
    words: /try again in 2 seconds/i,
  },
  {
    what: 'no connection',
    answer: (route) => route.abort('internetdisconnected'),
    words: /cannot be reached/i,
  },
];

function refuse(
  route: Route,
  status: number,
  code: string,
  headers: Record<string, string>,
): Promise<void> {
  const detail = 'This cannot be done right now.';
  const body = { type: `/docs/errors#${code}`, title: code, status, detail, code, request_id: 'r' };
  return route.fulfill({
    status,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
    body: JSON.stringify(body),
  });
}

describe.skipIf(!hasBrowser)('when the service cannot answer', () => {
  let service: TestService;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  let people = 0;
  /** Of somebody new: codes for one address are a minute apart. */
  const newAddress = () => {
    people += 1;
    return `someone-${people}@example.com`;
  };
  beforeAll(async () => {
    [service, browser] = await Promise.all([startTestService(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  beforeEach(async () => {
    visit = await Visit.start(browser, service.url);
    page = visit.page;
  });
  afterEach(async () => {
    visit.expectNoComplaint(loadFailed);
    await visit.end();
  });

  it.each(failures)('with $what, the address for a code is kept', async ({ answer, words }) => {
    await page.route('**/v1/auth/request-code', answer);
    await page.goto('/sign-in');
    const field = page.getByRole('textbox', { name: 'E-mail' });
    const email = newAddress();
    await field.fill(email);
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    expect(await field.inputValue()).toBe(email);
    await page.unroute('**/v1/auth/request-code');
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByRole('textbox', { name: 'Code' }).waitFor();
  });

  it.each(failures)('with $what, a new key keeps its labels', async ({ answer, words }) => {
    await visit.signIn(service, newAddress());
    await page.goto('/cabinet/keys');
    await page.getByRole('textbox', { name: 'Name' }).fill('kept name');
    await page.getByRole('textbox', { name: 'Comment' }).fill('kept comment');
    const posts = (route: Route) =>
      route.request().method() === 'POST' ? answer(route) : route.continue();
    await page.route('**/v1/keys', posts);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('kept name');
    expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe('kept comment');
    await page.unroute('**/v1/keys', posts);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Copy kept name' }).first().waitFor();
  });

  it.each(failures)('with $what, a page says so and loads later', async ({ answer, words }) => {
    await visit.signIn(service, newAddress());
    for (const [path, call] of [
      ['/cabinet', '**/v1/me'],
      ['/cabinet/keys', '**/v1/keys'],
      ['/cabinet/statistics', '**/v1/statistics?*'],
      ['/cabinet/payment', '**/v1/payments'],
    ] as const) {
      await page.route(call, answer);
      await page.goto(path);
      const alert = page.getByRole('alert').filter({ hasText: words }).first();
      await alert.waitFor();
      await page.unroute(call);
      await alert.getByRole('button', { name: 'Try again' }).click();
      await alert.waitFor({ state: 'detached' });
    }
  });

  it.each(failures)('with $what, a picture can be tried again', async ({ answer }) => {
    await visit.signIn(service, newAddress());
    await page.goto('/cabinet/try');
    const patient = page.getByText(/try again|trying again|waiting|again in/i).first();
    await page.route('**/v1/me/optimize*', answer);
    const buffer = await plainPicture(200, 150).jpeg({ quality: 97 }).toBuffer();
    const file = { name: 'kept.jpg', mimeType: 'image/jpeg', buffer };
    await page.getByLabel('Choose pictures').setInputFiles([file]);
    await patient.waitFor();
    await page.unroute('**/v1/me/optimize*');
    const retry = page.getByRole('button', { name: /try again/i });
    const done = page.getByRole('link', { name: 'Download kept.jpg' });
    // it waits by itself where it was told how long, and asks otherwise
    await retry.or(done).first().waitFor();
    if (await retry.isVisible()) await retry.click();
    await done.waitFor();
  });

  it('a section that cannot be loaded says so, and loads later', async () => {
    await visit.signIn(service, newAddress());
    await page.goto('/cabinet');
    await page.route('**/assets/statistics-page-*.js', (route) => route.abort());
    await page.getByRole('navigation').getByRole('link', { name: 'Statistics' }).click();
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await page.unroute('**/assets/statistics-page-*.js');
    await again.click();
    await page.getByRole('heading', { level: 1, name: 'Statistics' }).waitFor();
  });
});
