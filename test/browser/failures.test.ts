import type { Page, Route } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { submitKey } from '../support/key-menu.ts';

/** What a browser itself logs for an error response, or for none. */
const loadFailed = /^Failed to load resource/;

/** Ways in which a call can fail, and what users should then read. */
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
    words: /can’t be reached/i,
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

describeInBrowser('when the service cannot answer', (stage) => {
  let visit: Visit;
  let page: Page;
  let people = 0;
  /** A new address each time: codes for the same address are a minute apart. */
  const newAddress = () => {
    people += 1;
    return `someone-${people}@example.com`;
  };
  beforeEach(async () => {
    visit = await stage.visit();
    page = visit.page;
  });
  afterEach(async () => {
    visit.expectNoComplaint(loadFailed);
    await visit.end();
  });

  it.each(failures)(
    'with $what, the address for a code is kept',
    { tags: 'slow' },
    async ({ answer, words }) => {
      await page.route('**/v1/auth/request-code', answer);
      await page.goto('/sign-in');
      const field = page.getByRole('textbox', { name: 'Email' });
      const email = newAddress();
      await field.fill(email);
      await page.getByRole('button', { name: 'Send code' }).click();
      await page.getByRole('alert').filter({ hasText: words }).waitFor();
      expect(await field.inputValue()).toBe(email);
      await page.unroute('**/v1/auth/request-code');
      await page.getByRole('button', { name: 'Send code' }).click();
      await page.getByRole('textbox', { name: 'Code' }).waitFor();
    },
  );

  it.each(failures)(
    'with $what, a new key keeps its labels',
    { tags: 'slow' },
    async ({ answer, words }) => {
      await visit.signIn(stage.service, newAddress());
      await page.goto('/cabinet/keys');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('kept name');
      await page.getByRole('textbox', { name: 'Comment' }).fill('kept comment');
      const posts = (route: Route) =>
        route.request().method() === 'POST' ? answer(route) : route.continue();
      await page.route('**/v1/keys', posts);
      await submitKey(page);
      await page.getByRole('alert').filter({ hasText: words }).waitFor();
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('kept name');
      expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe(
        'kept comment',
      );
      await page.unroute('**/v1/keys', posts);
      await submitKey(page);
      await page.getByRole('heading', { name: 'Your new key: kept name' }).waitFor();
    },
  );

  it.each(failures)(
    'with $what, a page says so and loads later',
    { tags: 'slow' },
    async ({ answer, words }) => {
      await visit.signIn(stage.service, newAddress());
      for (const [path, call] of [
        ['/cabinet', '**/v1/me'],
        ['/cabinet/keys', '**/v1/keys?*'],
        ['/cabinet/statistics', '**/v1/statistics?*'],
        ['/cabinet/payment', '**/v1/payments'],
      ] as const) {
        await page.route(call, answer);
        await page.goto(path);
        const notice = page.locator('.notice', { has: page.getByRole('alert') });
        await notice.filter({ hasText: words }).waitFor();
        await page.unroute(call);
        await notice.getByRole('button', { name: 'Try again' }).click();
        await notice.waitFor({ state: 'detached' });
      }
    },
  );

  it('trying again keeps the focus, says that it is busy, and says anew what went wrong', {
    tags: 'slow',
  }, async () => {
    await visit.signIn(stage.service, newAddress());
    let calls = 0;
    let answer = Promise.withResolvers<'refuse' | 'continue'>();
    answer.resolve('refuse');
    await page.route('**/v1/keys?*', async (route) => {
      calls += 1;
      if ((await answer.promise) === 'continue') return route.continue();
      return refuse(route, 500, 'internal_error', {});
    });
    await page.goto('/cabinet/keys');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    const first = await alert.elementHandle();
    answer = Promise.withResolvers();
    await page.getByRole('button', { name: 'Try again' }).focus();
    await page.keyboard.press('Enter');
    const busy = page.getByRole('button', { name: 'Retrying…' });
    await busy.waitFor();
    await page.keyboard.press('Enter');
    answer.resolve('refuse');
    await expect.poll(() => first?.evaluate((element) => element.isConnected)).toBe(false);
    await alert.waitFor();
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    expect(calls).toBe(2);
    expect(await again.evaluate((element) => element.matches(':focus'))).toBe(true);

    answer = Promise.withResolvers();
    answer.resolve('continue');
    await page.keyboard.press('Enter');
    await alert.waitFor({ state: 'detached' });
    const place = page.locator('.loaded', {
      has: page.getByRole('button', { name: 'Create key' }),
    });
    expect(await place.evaluate((element) => element.matches(':focus'))).toBe(true);
  });

  it('a section that cannot be loaded says so, and loads later', async () => {
    await visit.signIn(stage.service, newAddress());
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
