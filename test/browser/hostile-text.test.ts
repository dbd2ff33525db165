import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { chooseForKey, submitKey } from '../support/key-menu.ts';
import { plainPicture } from '../support/pictures.ts';

const script = '<script>document.title="owned"</script>';
const emoji = '👩🏽‍🚀🇺🇦 e\u0301 ﷽ Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢';
const long = `${'w'.repeat(99)}!`;
const texts = [
  script,
  '"><img src=x onerror=document.title="owned">',
  '{{constructor.constructor("alert(1)")()}} javascript:alert(1)',
  emoji,
  'مفتاح المتجر (خادم)',
  'מפתח <b>שרת</b>',
  long,
  '&lt;b&gt; &amp; &#39;',
];

describeInBrowser('text of every kind', (stage) => {
  let picture: Buffer;
  beforeAll(async () => {
    picture = await plainPicture(64, 48).jpeg({ quality: 97 }).toBuffer();
  });
  /** Creates a key with this name, and has a picture counted under it. */
  async function useKey(client: Awaited<ReturnType<Visit['signIn']>>, name: string) {
    const made = await client.post('/v1/keys', { name, comment: `${name} (comment)` });
    expect(made.status, name).toBe(201);
    const { key } = (await made.json()) as { key: string };
    const headers = { Authorization: `Bearer ${key}` };
    const body = Uint8Array.from(picture);
    const response = await stage.service.fetch('/v1/optimize', { method: 'POST', headers, body });
    expect(response.status, name).toBe(200);
    await response.arrayBuffer();
  }

  const looks = [
    { width: 1280, texts: [script, emoji, long] },
    { width: 390, texts },
  ];
  it.each(looks)(
    'is shown as it was written, at $width pixels',
    { tags: 'slow' },
    async ({ width, texts }) => {
      const visit = await stage.visit({ colorScheme: 'light', width });
      const { page } = visit;
      const client = await visit.signIn(stage.service, `hostile-${width}@example.com`);
      const expectUnharmed = async () => {
        await visit.expectNoSidewaysScroll();
        expect(await page.title()).not.toContain('owned');
      };
      for (const text of texts) await useKey(client, text);

      await page.goto('/cabinet/keys');
      for (const text of texts) {
        await page.getByText(text, { exact: true }).first().waitFor();
        // Next to a long name there is no room for it on a phone.
        await page
          .getByText(`${text} (comment)`, { exact: true })
          .first()
          .waitFor({ state: 'attached' });
      }
      await expectUnharmed();
      await visit.screenshot('hostile-keys');

      for (const text of texts) {
        await chooseForKey(page, text, 'Revoke…');
        const dialog = page.getByRole('dialog', { name: 'Revoke this key?' });
        await dialog.getByText(text, { exact: true }).waitFor();
        const { width: dialogWidth } = (await dialog.boundingBox()) ?? { width: Infinity };
        expect(dialogWidth, text).toBeLessThanOrEqual(width);
        expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(
          0,
        );
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
      }

      for (const text of texts) {
        await page.getByRole('button', { name: 'Create key' }).click();
        await page.getByRole('textbox', { name: 'Name' }).fill(`${text.slice(0, 90)} again`);
        await submitKey(page);
        const heading = page.getByRole('heading', { name: 'Your new key:' });
        await heading.getByText(`${text.slice(0, 90)} again`, { exact: true }).waitFor();
        await expectUnharmed();
        await page.getByRole('button', { name: 'Done' }).click();
      }

      await page.goto('/cabinet/statistics');
      const table = page.getByRole('table').filter({ hasText: 'Saved' });
      for (const text of texts) await table.getByText(text, { exact: true }).first().waitFor();
      await expectUnharmed();
      await visit.screenshot('hostile-statistics');

      await page.goto('/cabinet/try');
      // File names cannot contain slashes.
      const names = texts.map((text) => `${text.replaceAll('/', '∕')}.jpg`);
      await page
        .getByLabel('Choose images')
        .setInputFiles(names.map((name) => ({ name, mimeType: 'image/jpeg', buffer: picture })));
      for (const name of names) {
        await page.getByRole('heading', { name, exact: true }).waitFor();
        await page.getByRole('link', { name: `Download ${name}` }).waitFor();
      }
      await expectUnharmed();
      await visit.screenshot('hostile-try-it');
      visit.expectNoComplaint();
      await visit.end();
    },
  );
});
