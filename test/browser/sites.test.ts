import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/local/browsers.ts';
import type { SiteRecord } from '../../src/cabinet/browser/api/wire.ts';
import { sizeText } from '../../src/cabinet/text/formatting.ts';
import { looks, sharedBrowser, Visit } from '../support/browser.ts';
import { Client } from '../support/client.ts';
import {
  type DeliveringService,
  signedPath,
  startDeliveringService,
} from '../support/delivering-service.ts';
import { hostileValues } from '../support/hostile-values.ts';
import { Keyboard } from '../support/keyboard.ts';
import { plainPicture } from '../support/pictures.ts';
import {
  button,
  field,
  ownerVisits,
  section,
  show,
  slowImages,
  storedSite,
} from '../support/site-pages.ts';

let delivering: DeliveringService;

/** What a browser itself logs for an error response. */
const loadFailed = /^Failed to load resource/;
const chrome = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8';

/** Someone new, by email. */
const people = {
  async signedIn(email: string) {
    const client = new Client(delivering.origin);
    await client.signIn(email);
    return client;
  },
};

const withOwner = ownerVisits(() => delivering);
const stored = (id: string) => storedSite(delivering, id);

describe.skipIf(findChromium() === null)('the section "Delivery"', { timeout: 180_000 }, () => {
  beforeAll(async () => {
    delivering = await startDeliveringService();
    const photo = await plainPicture(1000, 660).jpeg({ quality: 97 }).toBuffer();
    for (const path of ['/cups/blue.jpg', '/a%20b/%C3%BC%22%3E.jpg']) {
      delivering.foreign.serve(path, photo, { 'Content-Type': 'image/jpeg' });
    }
    delivering.foreign.serve('/words.jpg', Buffer.from('no image'), {
      'Content-Type': 'image/jpeg',
    });
  });
  afterAll(() => delivering?.close());

  it.each(looks)(
    'leads to a first image in three steps, at $width pixels, $colorScheme',
    { tags: 'slow' },
    async (look) => {
      const slug = `first-${look.width}-${look.colorScheme}`;
      const visit = await Visit.start(await sharedBrowser(), delivering.origin, look);
      const { page } = visit;
      page.setDefaultTimeout(slowImages);
      const client = await visit.signIn(people, `${slug}@gmail.com`);
      const inspect = async (name: string) => {
        await visit.expectStill();
        await visit.screenshot(`delivery-${name}`);
        await visit.expectGoodForEveryone();
      };
      await page.goto('/cabinet/delivery');
      await page.getByRole('link', { name: 'Begin' }).waitFor();
      await inspect('none');
      await page.getByRole('link', { name: 'Begin' }).click();
      await field(page, 'Address of your images').fill(delivering.foreign.at('/cups/blue.jpg'));
      expect(await field(page, 'Short name').inputValue()).toBe('127-0-0-1');
      await field(page, 'Short name').fill(slug);
      await inspect('new');
      await button(page, 'Continue').click();
      const host = new URL(delivering.foreign.at('/')).host;
      await page.getByRole('heading', { level: 1, name: host }).waitFor();
      expect(await field(page, 'Path').inputValue()).toBe('cups/blue.jpg');
      expect(await page.getByRole('tabpanel').textContent()).toContain('w_800/cups/blue.jpg');
      await inspect('created');

      await show(page, 'cups/blue.jpg');
      await page.getByRole('status').getByText('% smaller').waitFor();
      const bytesOf = async (accept: string) => {
        const response = await delivering.get(`/i/${slug}/w_800/cups/blue.jpg`, { accept });
        expect(response.status).toBe(200);
        return (await response.bytes()).length;
      };
      const radio = (name: string) => page.getByRole('radio', { name });
      await radio(`Chrome, Edge AVIF ${sizeText(await bytesOf(chrome))}`).waitFor();
      const others = radio(`Mail, old browsers`);
      await others.check();
      await page.getByRole('img', { name: 'After, as in Mail, old browsers' }).waitFor();
      await page
        .getByRole('radio', { name: sizeText(await bytesOf('*/*')) })
        .first()
        .waitFor();
      const url = `${delivering.origin}/i/${slug}/w_800/cups/blue.jpg`;
      expect(await page.getByRole('tabpanel').textContent()).toContain(url);
      await inspect('tried');

      await page.getByRole('link', { name: 'All sites' }).click();
      await page.getByRole('heading', { level: 2, name: host }).waitFor();
      await page.getByText(/^[3-9] of 5,000/).waitFor();
      await inspect('list');
      const { items } = await (await client.get('/v1/sites')).json<{ items: SiteRecord[] }>();
      expect(items.map(({ source }) => source)).toEqual([delivering.foreign.at('/')]);
      visit.expectNoComplaint();
      await visit.end();
    },
  );

  it('says at its field what is wrong with a new site', { tags: 'slow' }, async () => {
    await delivering.site('taken');
    const work = async (page: Page) => {
      await button(page, 'Continue').click();
      await page.getByText('Enter the address below which').waitFor();
      const address = field(page, 'Address of your images');
      expect(await address.evaluate((element) => element.matches(':focus'))).toBe(true);
      await address.fill('https://10.0.0.1/');
      await field(page, 'Short name').fill('other');
      await button(page, 'Continue').click();
      await page.getByText('private, local or reserved').waitFor();
      const help = page.getByRole('link', { name: 'The documentation' });
      expect(await help.getAttribute('href')).toBe('/docs/delivery#in-five-minutes');
      await address.fill(delivering.foreign.at('/'));
      await field(page, 'Short name').fill('taken');
      await button(page, 'Continue').click();
      const slug = field(page, 'Short name');
      await expect.poll(() => slug.getAttribute('aria-invalid')).toBe('true');
    };
    await withOwner('new', work, loadFailed);
  });

  it('shows images of a signed site, and rotates its secret', { tags: 'slow' }, async () => {
    const site = await delivering.site('sealed', { signed: true });
    const old = await signedPath(site, 'w_100/cups/blue.jpg');
    await withOwner(site.id, async (page) => {
      await show(page, 'cups/blue.jpg');
      expect(await page.getByRole('tab').allTextContents()).toContain('PHP');
      const secret = site.secrets[0]?.secret ?? '';
      expect(await page.getByRole('main').textContent()).not.toContain(secret);
      await button(page, 'Copy secret').click();
      await button(page, 'Copied secret').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
      await button(page, 'Rotate the secret…').click();
      await button(page, 'Rotate secret').click();
      await page.getByRole('heading', { name: 'Old secret, works until' }).waitFor();
      expect((await delivering.get(old)).status).toBe(200);
      await button(page, 'Rotate the secret…').click();
      await page.getByRole('radio', { name: 'Not at all' }).check();
      await button(page, 'Rotate secret').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await page.getByRole('heading', { name: 'Old secret' }).count()).toBe(0);
      expect((await delivering.get(old)).status).toBe(403);
      expect((await stored(site.id)).secrets).toHaveLength(1);
      await show(page, 'cups/blue.jpg');
    });
  });

  it('says why there is no image', { tags: 'slow' }, async () => {
    const site = await delivering.site('failing');
    const work = async (page: Page, visit: Visit) => {
      for (const path of ['none.jpg', 'words.jpg']) {
        await field(page, 'Path').fill(path);
        await button(page, 'Show').click();
        await page.locator('.trial[aria-busy="false"]').getByRole('alert').first().waitFor();
        // No browser gets anything, so there is nothing to choose from.
        expect(await page.getByRole('radio').count()).toBe(0);
      }
      await visit.expectGoodForEveryone();
      await field(page, 'Path').fill('cups/blue.jpg');
      await field(page, 'Options').fill('w_0');
      await button(page, 'Show').click();
      await page.getByRole('alert').getByText('"width" should be').first().waitFor();
      await delivering.owner.patch(`/v1/sites/${site.id}`, { status: 'paused' });
      await page.reload();
      await field(page, 'Path').fill('cups/blue.jpg');
      await button(page, 'Show').click();
      await page.getByText('The site is paused, so browsers are sent').waitFor();
      await visit.expectStill();
      // The redirect is known of, and not followed.
      const asking = delivering.foreign.asked.filter(({ headers }) => headers['sec-fetch-mode']);
      expect(asking).toEqual([]);
    };
    await withOwner(site.id, work, /^Failed to load resource|^request to .*blue\.jpg$/);
  });

  it('has presets, with previews', { tags: 'slow' }, async () => {
    const site = await delivering.site('presets');
    const work = async (page: Page, visit: Visit) => {
      const presets = section(page, /^Presets/);
      await show(page, 'cups/blue.jpg');
      await button(page, 'Add a preset').click();
      await presets.getByRole('textbox', { name: 'Name' }).fill('card');
      await presets.getByRole('textbox', { name: 'Options' }).fill('w_120,h_90');
      await page.getByRole('img', { name: 'Preview of the preset' }).waitFor();
      await presets.getByText('120 × 90').waitFor();
      await visit.expectStill();
      await visit.screenshot('delivery-preset');
      await visit.expectGoodForEveryone();
      await button(page, 'Save preset').click();
      await presets.getByRole('listitem').getByText('p_card').waitFor();
      expect((await stored(site.id)).presets).toEqual({ card: 'w_120,h_90' });
      await delivering.owner.patch(`/v1/sites/${site.id}`, {
        presets: { card: 'w_120,h_90', old: 'w_10' },
      });
      await show(page, 'cups/blue.jpg');
      await button(page, 'Edit card').click();
      await presets.getByRole('textbox', { name: 'Options' }).fill('w_many');
      await button(page, 'Remove old').click();
      await button(page, 'Remove old').waitFor({ state: 'detached' });
      expect(await presets.getByRole('textbox', { name: 'Options' }).inputValue()).toBe('w_many');
      const focused = presets.getByRole('textbox', { name: 'Name' });
      await expect.poll(() => focused.evaluate((one) => one.matches(':focus'))).toBe(true);
      await button(page, 'Save preset').click();
      await presets.locator('.error').getByText('"width" should be a whole number').waitFor();
      await presets.getByRole('textbox', { name: 'Options' }).fill('w_60');
      await button(page, 'Save preset').click();
      await presets.getByText('w_60', { exact: true }).waitFor();
      await button(page, 'Remove card').click();
      await presets.getByRole('listitem').waitFor({ state: 'detached' });
      expect((await stored(site.id)).presets).toEqual({});
    };
    await withOwner(site.id, work, loadFailed);
  });

  it('has the result of most browsers made before it asks for others', {
    tags: 'slow',
  }, async () => {
    const site = await delivering.site('ordered');
    await withOwner(site.id, async (page) => {
      const steps: string[] = [];
      const isResult = (url: string) => url.includes('/i/ordered/w_');
      page.on('request', (one) => isResult(one.url()) && steps.push('asked'));
      page.on('response', (one) => isResult(one.url()) && steps.push('answered'));
      await show(page, 'cups/blue.jpg');
      expect(steps.slice(0, 5)).toEqual(['asked', 'answered', 'asked', 'asked', 'asked']);
    });
  });

  it('saves nothing but what was changed in its form', { tags: 'slow' }, async () => {
    const site = await delivering.site('elsewhere', { monthly_limit: 1000 });
    await withOwner(site.id, async (page) => {
      await delivering.owner.patch(`/v1/sites/${site.id}`, { monthly_limit: 2000 });
      // The record is loaded again.
      await show(page, 'cups/blue.jpg');
      const settings = section(page, 'Settings');
      await settings.getByRole('textbox', { name: 'Name' }).fill('Renamed');
      await button(page, 'Save').click();
      await settings.getByText('Saved.').waitFor();
      expect(await stored(site.id)).toMatchObject({ name: 'Renamed', monthly_limit: 2000 });
    });
  });

  it('says what the account has left where the limit of a site promises more', {
    tags: 'slow',
  }, async () => {
    const site = await delivering.site('promising');
    const me = await (await delivering.owner.get('/v1/me')).json<{ free_quota: object }>();
    await withOwner(null, async (page, visit) => {
      await page.route('**/v1/me', (route) =>
        route.fulfill({ json: { ...me, free_quota: { ...me.free_quota, remaining: 498 } } }),
      );
      await page.goto(`/cabinet/delivery`);
      const entry = page.getByRole('listitem').filter({ hasText: '/i/promising/' });
      await entry.getByText('Your account has 498 files left.').waitFor();
      await visit.expectStill();
      await visit.expectGoodForEveryone();
      await entry.getByRole('link').click();
      await section(page, 'Settings').getByText('Your account has 498 files left.').waitFor();
      await delivering.owner.patch(`/v1/sites/${site.id}`, { monthly_limit: 498 });
      await page.reload();
      await section(page, 'Settings').getByText('Empty: no limit.').waitFor();
      expect(await page.getByText('498 files left').count()).toBe(0);
    });
  });

  it('purges one image or all', { tags: 'slow' }, async () => {
    const site = await delivering.site('purged');
    const served = () => delivering.get('/i/purged/w_50/cups/blue.jpg');
    const asked = () => delivering.foreign.asked.length;
    expect((await served()).status).toBe(200);
    await withOwner(site.id, async (page) => {
      await button(page, 'Purge these').click();
      await page.getByText('Enter at least one path.').waitFor();
      await field(page, 'Paths').fill(`cups/blue.jpg\n\n${delivering.foreign.at('/other.jpg')}`);
      await button(page, 'Purge these').click();
      await page.getByText('2 images are purged.').waitFor();
      const before = asked();
      expect((await served()).status).toBe(200);
      expect(asked()).toBe(before + 1);
      await button(page, 'Purge all…').click();
      await button(page, 'Purge all').last().click();
      await page.getByText('All images are purged.').waitFor();
      expect((await served()).status).toBe(200);
      expect(asked()).toBe(before + 2);
    });
  });

  it('looks at an original again once it is purged, or another address has it', {
    tags: 'slow',
  }, async () => {
    const site = await delivering.site('looking');
    const serve = async (path: string, width: number) => {
      const photo = await plainPicture(width, 100).jpeg({ quality: 97 }).toBuffer();
      delivering.foreign.serve(path, photo, { 'Content-Type': 'image/jpeg' });
    };
    await serve('/changing.jpg', 200);
    await serve('/other/changing.jpg', 180);
    await withOwner(site.id, async (page) => {
      const before = (width: number) =>
        page.getByRole('figure').getByText(`Before JPEG, ${width} × 100`).waitFor();
      await show(page, 'changing.jpg');
      await before(200);
      await serve('/changing.jpg', 160);
      await field(page, 'Paths').fill('changing.jpg');
      await button(page, 'Purge these').click();
      await page.getByText('One image is purged.').waitFor();
      await show(page, 'changing.jpg');
      await before(160);
      const settings = section(page, 'Settings');
      await settings
        .getByRole('textbox', { name: 'Address of your images' })
        .fill(delivering.foreign.at('/other/'));
      await button(page, 'Save').click();
      await settings.getByText('Saved.').waitFor();
      await show(page, 'changing.jpg');
      await before(180);
    });
  });

  it('changes, pauses, resumes and deletes a site', async () => {
    const site = await delivering.site('changed');
    const status = async () => (await delivering.get('/i/changed/w_50/cups/blue.jpg')).status;
    await withOwner(site.id, async (page, visit) => {
      const settings = section(page, 'Settings');
      await settings.getByRole('textbox', { name: 'Name' }).fill('Shop front');
      await settings.getByRole('textbox', { name: 'Monthly limit' }).fill('');
      await settings.getByLabel('Fresh for').selectOption('7 days');
      await settings.getByLabel('If no result can be made').selectOption('Send an error');
      await settings.getByRole('checkbox', { name: 'Answer presets only' }).check();
      await button(page, 'Save').click();
      await page.getByRole('heading', { level: 1, name: 'Shop front' }).waitFor();
      await settings.getByText('Saved.').waitFor();
      expect(await stored(site.id)).toMatchObject({
        name: 'Shop front',
        monthly_limit: null,
        cache_seconds: 604_800,
        on_error: 'error',
        presets_only: true,
      });
      await settings.getByRole('checkbox', { name: 'Answer presets only' }).uncheck();
      await button(page, 'Save').click();
      await settings.getByText('Saved.').waitFor();
      await expect.poll(status).toBe(200);

      await button(page, 'Pause…').click();
      await visit.expectGoodForEveryone();
      await button(page, 'Pause site').click();
      await button(page, 'Resume').waitFor();
      expect(await status()).toBe(403);
      await button(page, 'Resume').click();
      await button(page, 'Pause…').waitFor();
      expect(await status()).toBe(200);
      await button(page, 'Delete…').click();
      await button(page, 'Delete site').click();
      await page.getByText('has been deleted').waitFor();
      expect(await status()).toBe(404);
      await page.goBack();
      await page.getByText('This site isn’t in your account.').waitFor();
    });
  });

  it('shows text of every kind as it was written', { tags: 'slow' }, async () => {
    const script = '<script>document.title="owned"</script>';
    const site = await delivering.site('hostile', {
      name: `"><img src=x onerror=document.title="owned">${script}`,
      presets: { constructor: 'w_10', 'a-': 'b_fff' },
    });
    const work = async (page: Page, visit: Visit) => {
      await page.getByRole('heading', { level: 1, name: script }).waitFor();
      await show(page, 'a b/ü">.jpg');
      expect(await page.getByRole('tabpanel').textContent()).toContain('a%20b/%C3%BC%22%3E.jpg');
      await field(page, 'Options').fill(`w_10/../../${script}`);
      await button(page, 'Show').click();
      await page.getByRole('alert').first().waitFor();
      await visit.expectNoSidewaysScroll();
      await page.getByRole('link', { name: 'All sites' }).click();
      await page.getByRole('heading', { level: 2, name: script }).waitFor();
      await visit.expectNoSidewaysScroll();
      expect(await page.title()).not.toContain('owned');
    };
    await withOwner(site.id, work, loadFailed);
  });

  it('keeps whatever a record may contain as text', {
    tags: 'slow',
  }, async () => {
    const site = await delivering.site('records');
    const record = await stored(site.id);
    const items = hostileValues.map((text, i) => ({
      ...record,
      id: `site_${i}"><b>`,
      name: `name ${text}`,
      slug: `slug ${text}`,
      source: `https://images.example/${text}/`,
      presets: { [`preset ${text}`]: `options ${text}` },
      secrets: [{ secret: `secret ${text}`, until: null }],
      signed: i % 2 === 0,
    }));
    await withOwner(null, async (page, visit) => {
      await page.route('**/v1/sites', (route) => route.fulfill({ json: { items } }));
      await page.reload();
      const headings = page.getByRole('heading', { level: 2 });
      await expect.poll(() => headings.count()).toBe(items.length);
      // Lone surrogates are replaced on the way.
      const names = items.map(({ name }) => name.toWellFormed());
      const shown = await headings.locator('bdi').allTextContents();
      expect(shown.map((name) => name.toWellFormed())).toEqual(names);
      for (const [i, { name, slug, signed, presets }] of items.entries()) {
        await page.getByRole('heading', { level: 2 }).nth(i).getByRole('link').click();
        const title = page.getByRole('heading', { level: 1 }).locator('bdi');
        expect((await title.textContent())?.toWellFormed()).toBe(name.toWellFormed());
        const code = (await page.getByRole('tabpanel').textContent()) ?? '';
        expect(code.includes('SITE_SECRET'), slug).toBe(signed);
        const [preset = ''] = Object.keys(presets);
        const stored = section(page, /^Presets/)
          .locator('li code')
          .first();
        expect((await stored.textContent())?.toWellFormed()).toBe(`p_${preset.toWellFormed()}`);
        expect(await page.locator('main :is(script, img, b, style)').count()).toBe(0);
        await page.getByRole('link', { name: 'All sites' }).click();
      }
      await visit.expectNoSidewaysScroll();
    });
  });

  it('needs no pointer', { tags: 'slow' }, async () => {
    await delivering.site('listed');
    await withOwner(null, async (page) => {
      const keyboard = new Keyboard(page);
      await keyboard.press(page.getByRole('link', { name: 'New site' }));
      await keyboard.fill(field(page, 'Address of your images'), delivering.foreign.at('/'));
      await keyboard.fill(field(page, 'Short name'), 'by-keys');
      await page.keyboard.press('Enter');
      await keyboard.fill(field(page, 'Path'), 'cups/blue.jpg');
      await page.keyboard.press('Enter');
      await page.getByRole('img', { name: 'After, as in Chrome, Edge' }).waitFor();
      // What comes later would find the site paused, or gone.
      await page.locator('.trial[aria-busy="false"]').waitFor();
      await keyboard.press(button(page, 'Add a preset'));
      const presets = section(page, /^Presets/);
      await keyboard.fill(presets.getByRole('textbox', { name: 'Name' }), 'card');
      await keyboard.fill(presets.getByRole('textbox', { name: 'Options' }), 'w_80');
      await page.keyboard.press('Enter');
      await presets.getByRole('listitem').getByText('p_card').waitFor();
      const adding = button(page, 'Add a preset');
      await expect.poll(() => adding.evaluate((one) => one.matches(':focus'))).toBe(true);
      await keyboard.press(button(page, 'Pause…'));
      await keyboard.press(button(page, 'Pause site'));
      await keyboard.press(button(page, 'Resume'));
      // Deletion does not wait for it, and a site that is gone meanwhile cannot be resumed: 404.
      await button(page, 'Pause…').waitFor();
      await keyboard.press(button(page, 'Delete…'));
      // Also one that is closed, and not yet gone: the page hears of that a moment later.
      const dialog = page.locator('dialog');
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await keyboard.press(button(page, 'Delete…'));
      await keyboard.press(button(page, 'Delete site'));
      await page.getByText('has been deleted').waitFor();
    });
  });
});
