import { expect, it } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { codeIn } from '../support/client.ts';

describeInBrowser('signing in', (stage) => {
  it('after five wrong codes says that another one is needed', async () => {
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
      const answer = page.waitForResponse('**/v1/auth/verify-code');
      await field.fill(String((Number(code) + i) % 1_000_000).padStart(6, '0'));
      await field.press('Enter');
      expect((await answer).status()).toBe(401);
      await expect
        .poll(() => said.textContent())
        .toContain(i < 5 ? 'check it' : 'Too many attempts with this code');
    }
    await visit.end();
  });

  it('with an address of a domain that is not allowed says which would do', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/sign-in');
    await page.getByRole('textbox', { name: 'Email' }).fill('me@company.test');
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByText('A personal address at a major email provider usually works.').waitFor();
    await visit.end();
  });

  it('is what the front page leads to, and the documentation leads to the cabinet', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    const menu = page.getByRole('navigation', { name: 'Main' });
    await page.goto('/');
    await menu.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.goto('/docs');
    await menu.getByRole('link', { name: 'Cabinet' }).click();
    await page.waitForURL('**/sign-in?**');
    await visit.signIn(stage.service, 'reader@example.com');
    await page.goto('/docs/limits');
    await menu.getByRole('link', { name: 'Cabinet' }).click();
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    visit.expectNoComplaint();
    await visit.end();
  });
});
