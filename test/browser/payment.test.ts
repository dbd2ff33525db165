import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Payment } from '../../src/cabinet/browser/api/wire.ts';
import { describeInBrowser, type Visit } from '../support/browser.ts';

describeInBrowser('the page "Payment"', (stage) => {
  let visit: Visit;
  let page: Page;
  let people = 0;
  beforeEach(async () => {
    visit = await stage.visit({ colorScheme: 'light', width: 390 });
    page = visit.page;
    people += 1;
    await visit.signIn(stage.service, `pays-${people}@example.com`);
  });
  afterEach(async () => {
    visit.expectNoComplaint();
    await visit.end();
  });

  /** From now on, there are payments with these statuses. */
  async function bought(...statuses: readonly Payment['status'][]): Promise<void> {
    await page.route('**/v1/payments', (route) => {
      const items = statuses.map((status, i) => ({
        id: `pay_${i}`,
        created_at: '2026-11-21T10:00:00.000Z',
        pack: 'small',
        files: 1000,
        amount: 500,
        currency: 'usd',
        status,
        receipt_url: status === 'paid' ? 'https://pay.stripe.com/receipts/1' : null,
      }));
      return route.fulfill({ json: { items } });
    });
  }
  const notice = () => page.getByRole('status').filter({ hasText: /payment|checkout|confirmed/i });

  it.each([
    [
      'paid',
      'Thank you. Your payment of $5.00 is confirmed. 1,000 files were added to your account.',
    ],
    ['failed', 'The payment didn’t go through. You weren’t charged, and no files were added.'],
    ['refunded', 'This payment was refunded.'],
  ] as const)(
    'says of one that is %s what became of it, once',
    { tags: 'slow' },
    async (status, words) => {
      await bought('paid', 'pending');
      await page.goto('/cabinet/payment?result=success&payment=pay_1');
      await notice().filter({ hasText: '1,000 files · $5.00 is being confirmed.' }).waitFor();
      await bought('paid', status);
      await notice().filter({ hasText: words }).waitFor();
      await expect.poll(() => page.url()).toBe(`${visit.origin}/cabinet/payment`);
      await page.reload();
      await page.getByRole('heading', { level: 2, name: 'History' }).waitFor();
      await page.getByText('$5.00').first().waitFor();
      expect(await notice().count()).toBe(0);
    },
  );

  it('offers nothing where nobody can be paid', { tags: 'slow' }, async () => {
    for (const path of ['/cabinet', '/cabinet/payment', '/cabinet/try']) {
      await page.goto(path, { waitUntil: 'networkidle' });
      expect(
        await page
          .getByRole('main')
          .getByText(/buy|\$/i)
          .count(),
      ).toBe(0);
    }
    await page.goto('/cabinet/payment');
    await page.getByText('This service doesn’t sell files.').waitFor();
    expect(await page.getByRole('heading', { name: 'History' }).count()).toBe(0);
    await visit.expectGoodForEveryone();
    await visit.expectStill();
  });

  it('links to the receipts of what was paid', { tags: 'slow' }, async () => {
    await bought('paid', 'failed');
    await page.goto('/cabinet/payment');
    const receipt = page.getByRole('link', { name: /^Receipt for 1,000 files, 21 Nov 2026/ });
    await receipt.waitFor();
    expect(await receipt.getAttribute('href')).toBe('https://pay.stripe.com/receipts/1');
    expect(await page.getByRole('link', { name: /^Receipt/ }).count()).toBe(1);
  });

  it('says the same above and in the list of one that is awaited, and of one that was left', {
    tags: 'slow',
  }, async () => {
    await bought('pending');
    await page.goto('/cabinet/payment?result=success&payment=pay_0');
    await page.getByText('Waiting for Stripe to confirm it.').waitFor();
    expect(await page.getByText('weren’t charged').count()).toBe(0);
    await page.goto('/cabinet/payment?result=cancelled');
    await notice().filter({ hasText: 'Checkout cancelled. You weren’t charged.' }).waitFor();
    await page.getByText('Not completed').waitFor();
    await page.getByText('No payment has arrived.').waitFor();
  });

  it('keeps a figure of twelve digits in one line on a narrow screen', {
    tags: 'slow',
  }, async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await page.route('**/v1/me', async (route) => {
      const response = await route.fetch();
      const me = await response.json();
      await route.fulfill({ response, json: { ...me, paid_quota_remaining: 999_999_999_999 } });
    });
    await page.goto('/cabinet/payment');
    const figure = page.getByText('999,999,999,999', { exact: true });
    await figure.waitFor();
    const overhang = await figure.evaluate<number, { scrollWidth: number; clientWidth: number }>(
      ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
    );
    expect(overhang).toBe(0);
    await visit.expectNoSidewaysScroll();
  });
});
