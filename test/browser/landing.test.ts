import { expect, it } from 'vitest';
import { describeInBrowser, looks, seriousViolations } from '../support/browser.ts';
import { itForEach } from '../support/each.ts';
import { plainPicture } from '../support/pictures.ts';

describeInBrowser('the front page', (stage) => {
  itForEach(looks, 'fits $width pixels in a $colorScheme scheme, for everyone', async (look) => {
    const visit = await stage.visit(look);
    const { page } = visit;
    await page.goto('/', { waitUntil: 'networkidle' });
    await visit.expectNoSidewaysScroll();
    await visit.screenshot('landing');
    expect(await seriousViolations(page)).toEqual([]);
    await visit.expectStill();
    visit.expectNoComplaint();
    await visit.end();
  });

  itForEach([768, 360, 1920], 'is for everyone at %i pixels', async (width) => {
    const visit = await stage.visit({ colorScheme: 'light', width });
    await visit.page.goto('/', { waitUntil: 'networkidle' });
    await visit.expectGoodForEveryone();
    await visit.expectStill();
    await visit.end();
  });

  it('compares a picture under a slider, by keyboard too', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/');
    const slider = page.getByRole('slider');
    const shown = () =>
      page.locator('.comparison').evaluate((element) => element.style.getPropertyValue('--at'));
    await slider.focus();
    await page.keyboard.press('Home');
    expect(await shown()).toBe('0%');
    await page.keyboard.press('ArrowRight');
    expect(await shown()).toBe('1%');
    visit.expectNoComplaint();
    await visit.end();
  });

  itForEach(looks, 'makes an image smaller without an account, at $width pixels', async (look) => {
    const visit = await stage.visit(look);
    const { page } = visit;
    await page.goto('/');
    const buffer = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
    await page
      .getByLabel('Choose images')
      .setInputFiles([{ name: 'photo.jpg', mimeType: 'image/jpeg', buffer }]);
    await page.locator('.payoff').waitFor();
    const chosenAt = await page.evaluate<number>('performance.now()');
    await page.getByRole('link', { name: 'Download photo.jpg' }).waitFor();
    await page.getByRole('img', { name: 'photo.jpg, after' }).waitFor();
    await page.getByText('4 more today without an account').waitFor();
    const trial = page.locator('#trial');
    await trial.getByText('% smaller').waitFor();
    await trial.getByRole('link', { name: 'Get a free account' }).waitFor();
    await visit.expectNoSidewaysScroll();
    await visit.screenshot('landing-tried');
    await visit.expectStill(chosenAt);
    expect(await seriousViolations(page)).toEqual([]);
    visit.expectNoComplaint();
    await visit.end();
  });

  it('keeps what was made when the day’s images are used up', { tags: 'slow' }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/');
    const buffer = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
    const file = (name: string) => ({ name, mimeType: 'image/jpeg', buffer });
    const names = ['1.jpg', '2.jpg', '3.jpg', '4.jpg', '5.jpg'];
    await page.getByLabel('Choose images').setInputFiles(names.map(file));
    await page.getByText('5 of 5 done.').first().waitFor();
    await page.getByText('0 more today').waitFor();
    await page.locator('summary', { hasText: 'Options' }).click();
    await page.getByLabel('Format').selectOption('webp');
    await page.getByRole('button', { name: 'Run again with these options' }).click();
    await page.getByText('That’s all for today without an account.').waitFor();
    const results = page.getByRole('link', { name: /^Download \d\.jpg/ });
    await expect.poll(() => results.count()).toBe(5);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    const invitations = page.locator('#trial').getByRole('link', { name: 'Get a free account' });
    expect(await invitations.count()).toBe(1);
    await page.getByLabel('Choose images').setInputFiles([file('6.jpg')]);
    await page.getByText('Not sent.').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await visit.end();
  });

  it('leads those who are signed in to the cabinet, and on where their session has ended', {
    tags: 'slow',
  }, async () => {
    const visit = await stage.visit({ colorScheme: 'light', width: 390 });
    const { page } = visit;
    const client = await visit.signIn(stage.service, 'returns@example.com');
    await page.goto('/', { waitUntil: 'networkidle' });
    await visit.expectStill();
    expect(await page.getByRole('link', { name: 'Sign in' }).count()).toBe(0);
    await client.post('/v1/auth/logout', {});
    await page.getByRole('navigation').getByRole('link', { name: 'Open cabinet' }).click();
    await page.waitForURL('**/sign-in?**');
    await visit.end();
  });

  itForEach([360, 390], 'has room for those who are signed in at %i pixels', async (width) => {
    const visit = await stage.visit({ colorScheme: 'light', width });
    const { page } = visit;
    await visit.signIn(stage.service, `known-${width}@example.com`);
    await page.goto('/', { waitUntil: 'networkidle' });
    expect((await page.locator('.brand span').boundingBox())?.height).toBeLessThanOrEqual(45);
    const buffer = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
    await page
      .getByLabel('Choose images')
      .setInputFiles([{ name: 'photo.jpg', mimeType: 'image/jpeg', buffer }]);
    await page.getByText('4 more today on this page').waitFor();
    const trial = page.locator('#trial');
    await trial.getByRole('link', { name: 'Optimize images in your cabinet' }).waitFor();
    expect(await page.getByText(/free account|without an account/).count()).toBe(0);
    await visit.expectGoodForEveryone();
    await visit.end();
  });

  it('hands out its curl', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/');
    await page.getByRole('button', { name: 'Copy' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toContain(`curl -sS --fail "${visit.origin}/v1/optimize"`);
    await visit.end();
  });
});
