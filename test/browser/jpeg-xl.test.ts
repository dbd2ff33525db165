import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { plainPicture } from '../support/pictures.ts';

describeInBrowser('JPEG XL in the workbench', (stage) => {
  let visit: Visit;
  beforeEach(async () => {
    visit = await stage.visit({ colorScheme: 'light', width: 1440 });
    await visit.signIn(stage.service, 'xl@example.com');
    await visit.page.goto('/cabinet/try');
  });
  afterEach(() => visit.end());

  it('is offered for a JPEG, and shown by browsers that can, or said not to be by others', {
    tags: 'slow',
  }, async () => {
    const { page } = visit;
    const buffer = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
    await page
      .getByLabel('Choose images')
      .setInputFiles([{ name: 'held.jpg', mimeType: 'image/jpeg', buffer }]);
    await page.getByRole('button', { name: 'Compare held.jpg' }).click();
    const viewer = page.getByRole('dialog');
    const chips = viewer.getByRole('group', { name: 'Format' });
    await chips.getByRole('button', { name: 'JPEG XL' }).click();
    await page.getByRole('link', { name: 'Download held.jxl' }).waitFor();
    const notice = viewer.getByText('can’t display one of the two images');
    const isShown = () =>
      page.evaluate<boolean>(
        `document.querySelector('dialog img[alt="held.jpg, after"]')?.naturalWidth === 400`,
      );
    await expect.poll(async () => (await isShown()) || (await notice.isVisible())).toBe(true);
    // Another result is shown, regardless of the previous one.
    await chips.getByRole('button', { name: 'WebP' }).click();
    await page.getByRole('link', { name: 'Download held.webp' }).waitFor();
    await expect.poll(isShown).toBe(true);
    visit.expectNoComplaint();
  });
});
