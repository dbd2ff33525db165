import { expect } from 'vitest';
import { describeInBrowser, looks } from '../support/browser.ts';
import { itForEach } from '../support/each.ts';
import { chooseForKey } from '../support/key-menu.ts';
import { plainPicture } from '../support/pictures.ts';

describeInBrowser('the requests of a key', (stage) => {
  itForEach(looks, 'say what became of them, and errors can be seen alone: %j', async (look) => {
    const visit = await stage.visit(look);
    const { page } = visit;
    const client = await visit.signIn(stage.service, `requests-${look.width}@example.com`);
    // On phones, it takes two lines.
    const name = 'shop of the city of Amsterdam, of its suburbs';
    const created = await client.post('/v1/keys', { name, comment: '' });
    const { key } = (await created.json()) as { key: string };
    await page.goto('/cabinet/keys');
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Requests' }).click();
    await page.getByText('No requests in the last seven days').waitFor();
    await visit.expectGoodForEveryone();

    const body = Uint8Array.from(await plainPicture(200, 150).jpeg({ quality: 97 }).toBuffer());
    const headers = { Authorization: `Bearer ${key}` };
    for (const query of ['', '?colour=red']) {
      const path = `/v1/optimize${query}`;
      const response = await stage.service.fetch(path, { method: 'POST', headers, body });
      await response.arrayBuffer();
    }
    const rows = page.locator('.key-requests tbody tr');
    // A request is recorded only after its response.
    const reloaded = async () => {
      await page.getByRole('button', { name: 'Reload' }).click();
      return rows.count();
    };
    await expect.poll(reloaded).toBe(2);
    expect(await rows.nth(1).textContent()).toMatch(/\/v1\/optimize200.* → .*ms1 charged/);
    await visit.expectGoodForEveryone();
    await visit.screenshot('key-requests');
    await page.reload();
    await rows.first().waitFor();
    await visit.expectStill();
    await page.getByLabel('Errors only').check();
    await expect.poll(() => rows.count()).toBe(1);
    await rows.getByRole('link', { name: 'invalid_options' }).waitFor();
    await page.getByRole('link', { name: 'All keys' }).click();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await chooseForKey(page, name, 'Requests');
    await expect.poll(() => rows.count()).toBe(2);
    visit.expectNoComplaint();
    await visit.end();
  });
});
