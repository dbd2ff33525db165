import { expect, it } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { codeIn } from '../support/client.ts';
import { Keyboard } from '../support/keyboard.ts';

/** What the service of these tests is set to. */
const accepted = 'gmail.com, example.com, xn--mnchen-3ya.example and any .campus.example domain';

describeInBrowser('signing in', (stage) => {
  it('after five wrong codes says that another one is needed', { tags: 'slow' }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    const email = 'guesses@example.com';
    await page.goto('/sign-in');
    await page.getByRole('textbox', { name: 'Email' }).fill(email);
    await page.getByRole('button', { name: 'Send code' }).click();
    const field = page.getByRole('textbox', { name: 'Code' });
    await field.waitFor();
    const code = codeIn(await stage.service.inbox.latest(email));
    const said = page.locator('.field .error');
    for (let i = 1; i <= 5; i += 1) {
      const response = page.waitForResponse('**/v1/auth/verify-code');
      await field.fill(code.slice(0, 5) + ((Number(code[5]) + i) % 10));
      // The first one is sent by itself; others, in which one digit is new, are not.
      if (i > 1) await field.press('Enter');
      expect((await response).status()).toBe(401);
      await expect
        .poll(() => said.textContent())
        .toContain(i < 5 ? 'check it' : 'Too many attempts with this code');
    }
    await visit.end();
  });

  it('says whose addresses may before anything is typed', async () => {
    const visit = await stage.visit({ colorScheme: 'light', width: 390 });
    const { page } = visit;
    await page.goto('/sign-in');
    await page.getByText(`Addresses at ${accepted} may sign in.`).waitFor();
    await visit.expectGoodForEveryone();
    await visit.expectStill();
    await page.getByRole('textbox', { name: 'Email' }).fill('me@company.test');
    await page.getByRole('button', { name: 'Send code' }).click();
    const refusal = page.locator('.field .error');
    await refusal
      .getByText(
        `Addresses at company.test cannot sign in here. This service accepts addresses at ${accepted}.`,
      )
      .waitFor();
    expect(await page.getByText('may sign in.').count()).toBe(0);
    const way = page.getByRole('link', { name: 'Compress without an account' });
    expect(await way.getAttribute('href')).toBe('/');
    await visit.expectGoodForEveryone();
    await page.getByRole('textbox', { name: 'Email' }).fill('me@maths.campus.example');
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByRole('textbox', { name: 'Code' }).waitFor();
    await visit.end();
  });

  it('takes a misspelt provider for the one that was meant, if that is wanted', {
    tags: 'slow',
  }, async () => {
    const visit = await stage.visit({ colorScheme: 'dark', width: 390 });
    const { page } = visit;
    const keyboard = new Keyboard(page);
    await page.goto('/sign-in');
    const field = page.getByRole('textbox', { name: 'Email' });
    await keyboard.fill(field, 'me@gmial.com');
    await page.getByText('Did you mean me@gmail.com?').waitFor();
    await visit.expectGoodForEveryone();
    await keyboard.press(page.getByRole('button', { name: 'Use it' }));
    expect(await field.inputValue()).toBe('me@gmail.com');
    expect(await field.evaluate((element) => element.matches(':focus'))).toBe(true);
    expect(await page.getByText('Did you mean').count()).toBe(0);
    await visit.end();
  });

  it('repeats what there is for those who came for a key', { tags: 'slow' }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/');
    await page.getByRole('link', { name: 'Get an API key' }).click();
    await page.getByRole('heading', { level: 1, name: 'Get your API key' }).waitFor();
    await page.getByText('100,000 files a month, free for good').waitFor();
    await page.getByText('No credit card').waitFor();
    await visit.end();
  });

  it('is what the front page and the documentation lead to, and to the dashboard once signed in', {
    tags: 'slow',
  }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    const menu = page.getByRole('navigation', { name: 'Main' });
    await page.goto('/');
    await menu.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.goto('/docs');
    await menu.getByRole('link', { name: 'Sign in' }).click();
    await page.waitForURL('**/sign-in');
    await visit.signIn(stage.service, 'reader@example.com');
    await page.goto('/docs/limits');
    await menu.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    visit.expectNoComplaint();
    await visit.end();
  });
});
