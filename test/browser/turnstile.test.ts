import { afterAll, expect, it } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { startTestService } from '../support/service.ts';
import { TurnstileStandIn, turnstileSettings } from '../support/turnstile.ts';

const standIn = new TurnstileStandIn();

/** A service with Turnstile enabled. */
async function startAsking() {
  await standIn.start();
  const { vars, secrets } = turnstileSettings(standIn.origin);
  return startTestService(vars, secrets);
}

describeInBrowser(
  'signing in where Turnstile is on',
  (stage) => {
    it('takes a check for each code', { tags: 'slow' }, async () => {
      const visit = await stage.visit();
      const { page } = visit;
      await page.goto('/sign-in');
      await page.getByText('Confirmed').waitFor();
      await visit.screenshot('sign-in-confirmed');
      await page.getByRole('textbox', { name: 'Email' }).fill('human@example.com');
      await page.getByRole('button', { name: 'Send code' }).click();
      await page.getByRole('textbox', { name: 'Code' }).waitFor();
      await stage.service.age('human@example.com', 61_000);
      await page.getByText('Confirmed').waitFor();
      expect(await stage.service.inbox.count('human@example.com')).toBe(1);
      // The widget is the only external request.
      visit.expectNoComplaint(/^request to \S+\/turnstile\/v0\/api\.js\?render=explicit$/);
      await visit.end();
    });

    it('says what to do when the widget cannot be loaded', { tags: 'slow' }, async () => {
      const visit = await stage.visit();
      const { page } = visit;
      await page.route('**/turnstile/v0/api.js*', (route) => route.abort());
      await page.goto('/sign-in');
      await page.getByText('couldn’t be loaded').waitFor();
      const send = page.getByRole('button', { name: 'Send code' });
      expect(await send.getAttribute('aria-disabled')).toBe('true');
      await visit.end();
    });
  },
  startAsking,
);

afterAll(async () => {
  if (standIn.origin !== '') await standIn.stop();
});
