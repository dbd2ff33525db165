import type { Page } from 'playwright-core';
import type { SiteRecord } from '../../src/cabinet/browser/api/wire.ts';
import { sharedBrowser, Visit } from './browser.ts';
import type { DeliveringService } from './delivering-service.ts';

/** How long the images of a site's page may take: for four browsers, AVIFs among them, on a busy machine. */
export const slowImages = 90_000;

/** Visits of the sites' owner to the page of a site, or to the list. */
export function ownerVisits(service: () => DeliveringService) {
  return async (
    site: string | null,
    work: (page: Page, visit: Visit) => Promise<void>,
    complaints?: RegExp,
  ): Promise<void> => {
    const { origin, owner } = service();
    const visit = await Visit.start(await sharedBrowser(), origin);
    visit.page.setDefaultTimeout(slowImages);
    await visit.signIn({ signedIn: async () => owner }, '');
    await visit.page.goto(`/cabinet/delivery${site === null ? '' : `?site=${site}`}`);
    await work(visit.page, visit);
    visit.expectNoComplaint(complaints);
    await visit.end();
  };
}

/** The record of a site of the owner. */
export async function storedSite({ owner }: DeliveringService, id: string): Promise<SiteRecord> {
  const { items } = await (await owner.get('/v1/sites')).json<{ items: SiteRecord[] }>();
  const site = items.find((one) => one.id === id);
  if (!site) throw new Error('no such site');
  return site;
}

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
export const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
export const section = (page: Page, name: string | RegExp) => page.getByRole('region', { name });

/** Shows an image in the page of a site, before and after. */
export async function show(page: Page, path: string): Promise<void> {
  await field(page, 'Path').fill(path);
  await button(page, 'Show').click();
  await page.getByRole('img', { name: 'Before' }).waitFor();
  await page.getByRole('img', { name: 'After, as in Chrome, Edge' }).waitFor();
  await page.locator('.trial[aria-busy="false"]').waitFor();
}
