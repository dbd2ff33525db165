import type { Locator, Page } from 'playwright-core';

/**
 * Opens the viewer of an image that was chosen, and waits until both of its images can be painted.
 * @returns the stage with the two
 */
export async function compared(page: Page, name: string): Promise<Locator> {
  await page.getByRole('button', { name: `Compare ${name}` }).click();
  const viewer = page.getByRole('dialog');
  await viewer.getByRole('img', { name: `${name}, after` }).waitFor();
  const images = viewer.locator('img');
  await images.evaluateAll((all) =>
    Promise.all(all.map((one) => (one as unknown as { decode(): Promise<void> }).decode())),
  );
  return viewer.locator('.viewer-stage');
}
