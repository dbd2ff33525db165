import type { Locator, Page } from 'playwright-core';

/** The button that opens the menu of the key with this name. */
export function keyMenu(page: Page, name: string): Locator {
  return page.getByRole('button', { name: `Actions for ${name}`, exact: true });
}

/** Chooses an item in the menu of the first key with this name. */
export async function chooseForKey(page: Page, name: string, item: string): Promise<void> {
  await keyMenu(page, name).first().click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** The dialog with a key and its code. */
export function codeDialog(page: Page): Locator {
  return page.getByRole('dialog').filter({ has: page.getByRole('tab', { name: 'curl' }) });
}

/** Creates the key that is described in the open form. */
export async function submitKey(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
}
