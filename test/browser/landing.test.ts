import { expect, it } from 'vitest';
import { describeInBrowser, looks, seriousViolations } from '../support/browser.ts';
import { plainPicture } from '../support/pictures.ts';

describeInBrowser('the front page', (stage) => {
  it.each(looks)('fits $width pixels in a $colorScheme scheme, for everyone', async (look) => {
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

  it.each([360, 768, 1920])('is for everyone at %i pixels', async (width) => {
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

  it.each(looks)('makes an image smaller without an account, at $width pixels', async (look) => {
    const visit = await stage.visit(look);
    const { page } = visit;
    await page.goto('/');
    const buffer = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
    await page
      .getByLabel('Choose images')
      .setInputFiles([{ name: 'photo.jpg', mimeType: 'image/jpeg', buffer }]);
    await page.getByText('Optimizing…').first().waitFor();
    const chosenAt = await page.evaluate<number>('performance.now()');
    await page.getByRole('link', { name: 'Download photo.jpg' }).waitFor();
    await page.getByRole('img', { name: 'photo.jpg, after' }).waitFor();
    await page.getByText('4 more today without an account.').waitFor();
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
