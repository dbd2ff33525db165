import { afterAll, expect, it } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { plainPicture } from '../support/pictures.ts';
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
  'signing in and trying where Turnstile is on',
  (stage) => {
    it('takes a check for each code', async () => {
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

    it('says what to do when the widget cannot be loaded', async () => {
      const visit = await stage.visit();
      const { page } = visit;
      await page.route('**/turnstile/v0/api.js*', (route) => route.abort());
      await page.goto('/sign-in');
      await page.getByText('couldn’t be loaded').waitFor();
      const send = page.getByRole('button', { name: 'Send code' });
      expect(await send.getAttribute('aria-disabled')).toBe('true');
      await visit.end();
    });

    it('takes a check for each image that is tried on the front page', async () => {
      const visit = await stage.visit();
      const { page } = visit;
      await page.goto('/', { waitUntil: 'networkidle' });
      const buffer = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
      const file = (name: string) => ({ name, mimeType: 'image/jpeg', buffer });
      await page.getByLabel('Choose images').setInputFiles([file('one.jpg'), file('two.jpg')]);
      await page.getByRole('link', { name: 'Download one.jpg' }).waitFor();
      await page.getByRole('link', { name: 'Download two.jpg' }).waitFor();
      await page.getByText('3 more today without an account').waitFor();
      visit.expectNoComplaint(/^request to \S+\/turnstile\/v0\/api\.js\?render=explicit$/);
      await visit.end();
    });

    it('tries no image when the widget cannot be loaded, and says so', async () => {
      const visit = await stage.visit();
      const { page } = visit;
      await page.route('**/turnstile/v0/api.js*', (route) => route.abort());
      await page.goto('/');
      const buffer = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
      await page
        .getByLabel('Choose images')
        .setInputFiles([{ name: 'one.jpg', mimeType: 'image/jpeg', buffer }]);
      await page.locator('.upload').getByText('couldn’t be loaded').waitFor();
      await visit.end();
    });
  },
  startAsking,
);

afterAll(async () => {
  if (standIn.origin !== '') await standIn.stop();
});
