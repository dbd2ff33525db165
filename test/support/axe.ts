import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds serious or critical on a page, each with the elements concerned. */
export async function seriousViolations(page: Page): Promise<string[]> {
  // evaluated by the debugger, which the page's policy has no say in
  await page.evaluate(await source);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help} – ${nodes.map(({ html }) => html).join(' | ')}`);
}
