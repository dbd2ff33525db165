import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { adversarialFiles } from '../support/adversarial/files.ts';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { mutatedRequests } from '../support/mutations/run.ts';

/** A file that is chosen. */
interface Chosen {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

describeInBrowser('hostile files in the workbench', (stage) => {
  let visit: Visit;
  let page: Page;
  beforeEach(async () => {
    visit = await stage.visit();
    page = visit.page;
    await page.goto('/');
  });
  afterEach(() => visit.end());

  /** Chooses files, waits until nothing is under way, and returns the text of each row, in their order. */
  async function texts(files: readonly Chosen[]): Promise<string[]> {
    await page.getByLabel('Choose images').setInputFiles([...files]);
    const rows = page.locator('.image-row');
    await expect.poll(() => rows.count()).toBe(files.length);
    const underWay = rows.filter({ hasText: /Optimizing|Starting|Waiting…/ });
    await expect.poll(() => underWay.count(), { timeout: 120_000 }).toBe(0);
    const shown = await rows.allInnerTexts();
    await page.getByRole('button', { name: 'Clear' }).click();
    return shown;
  }

  /** Fails unless a row has a result, a reason why it has none, or a question. */
  function expectExplained(text: string, name: string): void {
    expect(text, name).toMatch(/→|\.$|\.\n/);
    expect(text, name).not.toContain('broke off');
  }

  it('that were damaged are optimized or explained, each by itself', {
    tags: 'slow',
    timeout: 300_000,
  }, async () => {
    const mutated = await mutatedRequests(20_261_129);
    for (let first = 0; first < 500; first += 50) {
      const files = Array.from({ length: 50 }, (_, i) => {
        const { file, format } = mutated(first + i);
        return {
          name: `${first + i}.${format === 'other' ? 'png' : format}`,
          mimeType: format === 'other' ? 'image/png' : `image/${format}`,
          buffer: Buffer.from(file.length > 0 ? file : [0]),
        };
      });
      const shown = await texts(files);
      for (const [i, text] of shown.entries()) expectExplained(text, files[i]?.name ?? '');
    }
    visit.expectNoComplaint();
  });

  it('that take as long as they can leave the page alive', {
    tags: 'slow',
    timeout: 300_000,
  }, async () => {
    for (let first = 0; first < adversarialFiles.length; first += 20) {
      const portion = adversarialFiles.slice(first, first + 20);
      const files = portion.map(async ({ type, make }, i) => ({
        name: `${first + i}.${type}`,
        mimeType: `image/${type}`,
        buffer: Buffer.from(await make(1_000_000)),
      }));
      const shown = await texts(await Promise.all(files));
      for (const [i, text] of shown.entries()) expectExplained(text, portion[i]?.name ?? '');
    }
    visit.expectNoComplaint();
  });
});
