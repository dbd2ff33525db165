import { expect, it } from 'vitest';
import { describeInBrowser, looks, seriousViolations } from '../support/browser.ts';
import { itForEach } from '../support/each.ts';
import { plainPicture } from '../support/pictures.ts';

describeInBrowser('the front page', (stage) => {
  itForEach(looks, 'fits $width pixels in a $colorScheme scheme, for everyone', async (look) => {
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

  it.each([768, 360, 1920])('is for everyone at %i pixels', { tags: 'slow' }, async (width) => {
    const visit = await stage.visit({ colorScheme: 'light', width });
    await visit.page.goto('/', { waitUntil: 'networkidle' });
    await visit.expectGoodForEveryone();
    await visit.expectStill();
    await visit.end();
  });

  it('compares a picture under a slider, by keyboard too', { tags: 'slow' }, async () => {
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

  itForEach(looks, 'makes an image smaller without an account, at $width pixels', async (look) => {
    const visit = await stage.visit(look);
    const { page } = visit;
    await page.goto('/');
    const buffer = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
    await page
      .getByLabel('Choose images')
      .setInputFiles([{ name: 'photo.jpg', mimeType: 'image/jpeg', buffer }]);
    await page.locator('.payoff').waitFor();
    const chosenAt = await visit.afterFrame();
    await page.getByRole('link', { name: 'Download photo.jpg' }).waitFor();
    await page.getByRole('img', { name: 'photo.jpg, after' }).waitFor();
    const images = page.locator('#images');
    await images.getByText('% smaller').waitFor();
    await images.getByRole('link', { name: 'Get a free account' }).waitFor();
    await visit.expectNoSidewaysScroll();
    await visit.screenshot('landing-tried');
    await visit.expectStill(chosenAt);
    expect(await seriousViolations(page)).toEqual([]);
    const introduction = page.getByText('files that look the same');
    expect(await introduction.isVisible()).toBe(false);
    await images.getByRole('button', { name: 'Remove photo.jpg' }).click();
    await introduction.waitFor();
    visit.expectNoComplaint();
    await visit.end();
  });

  it('shows the formats of an image above the bar that several images have', {
    tags: 'slow',
  }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto('/');
    const buffer = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
    const files = ['one.jpg', 'two.jpg'].map((name) => ({ name, mimeType: 'image/jpeg', buffer }));
    await page.getByLabel('Choose images').setInputFiles(files);
    await page.getByText('2 of 2 done.').first().waitFor();
    const formats = await page.getByRole('group', { name: 'Format' }).boundingBox();
    const bar = await page.locator('.workbench-foot').boundingBox();
    if (!formats || !bar) throw new Error('nothing is shown');
    expect(formats.y + formats.height).toBeLessThanOrEqual(bar.y);
    await visit.end();
  });

  it('uploads nothing, and goes on without a connection', { tags: 'slow' }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/', { waitUntil: 'networkidle' });
    const asked: string[] = [];
    visit.context.on('request', (request) => {
      const { protocol, pathname } = new URL(request.url());
      if (protocol !== 'blob:') asked.push(`${request.method()} ${pathname}`);
    });
    const buffer = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
    const choose = (name: string) =>
      page.getByLabel('Choose images').setInputFiles([{ name, mimeType: 'image/jpeg', buffer }]);
    await choose('first.jpg');
    await page.getByRole('link', { name: 'Download first.jpg' }).waitFor();
    expect(asked.filter((call) => !/^GET \/assets\/[\w-]+\.(?:js|css|wasm)$/.test(call))).toEqual(
      [],
    );
    await visit.context.setOffline(true);
    await choose('second.jpg');
    await page.getByRole('link', { name: 'Download second.jpg' }).waitFor();
    await page.getByRole('group', { name: 'Format' }).getByRole('button', { name: 'AVIF' }).click();
    await page.getByRole('alert').filter({ hasText: 'couldn’t be loaded' }).first().waitFor();
    await visit.context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await choose('third.jpg');
    await page.getByRole('link', { name: 'Download third.jpg' }).waitFor();
    await visit.end();
  });

  it.each([
    'WebAssembly.validate = () => false;',
    'delete Array.prototype.toSorted; delete Array.prototype.toReversed;',
  ])('tells which browsers are recent enough after %s', { tags: 'slow' }, async (lack) => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.addInitScript(lack);
    await page.goto('/');
    const buffer = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
    await page
      .getByLabel('Choose images')
      .setInputFiles([{ name: 'photo.jpg', mimeType: 'image/jpeg', buffer }]);
    await page.getByText('This browser is too old to do it. Chrome 110').first().waitFor();
    visit.expectNoComplaint();
    await visit.end();
  });

  it.each(['front-page-*.js', 'workbench-*.css'])(
    'says that %s cannot be loaded, keeps the files, and loads it later',
    { tags: 'slow' },
    async (part) => {
      const visit = await stage.visit();
      const { page } = visit;
      await page.goto('/', { waitUntil: 'networkidle' });
      const buffer = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
      await page.route(`**/assets/${part}`, (route) => route.abort());
      await page
        .getByLabel('Choose images')
        .setInputFiles([{ name: 'kept.jpg', mimeType: 'image/jpeg', buffer }]);
      await page.getByRole('alert').filter({ hasText: 'couldn’t be loaded' }).waitFor();
      expect(await seriousViolations(page)).toEqual([]);
      await page.unroute(`**/assets/${part}`);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('link', { name: 'Download kept.jpg' }).waitFor();
      const display = `getComputedStyle(document.querySelector('.image-row')).display`;
      expect(await page.evaluate(display)).toBe('grid');
      await visit.end();
    },
  );

  it('takes what is dropped while its code loads, and while it offers to try again', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/', { waitUntil: 'networkidle' });
    const buffer = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
    /** Whether the page takes the file; otherwise, the browser opens it in place of the page. */
    const drop = (name: string) =>
      page.evaluate<boolean>(`
        (() => {
          const dataTransfer = new DataTransfer();
          const bytes = new Uint8Array([${[...buffer].join()}]);
          dataTransfer.items.add(new File([bytes], '${name}', { type: 'image/jpeg' }));
          const event = { dataTransfer, bubbles: true, cancelable: true };
          return !document.dispatchEvent(new DragEvent('drop', event));
        })()
      `);
    const code = '**/assets/front-page-*.js';
    const asked = Promise.withResolvers<() => Promise<void>>();
    await page.route(code, (route) => asked.resolve(() => route.abort()));
    expect(await drop('first.jpg')).toBe(true);
    const fail = await asked.promise;
    expect(await drop('second.jpg')).toBe(true);
    await fail();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute(code);
    expect(await drop('third.jpg')).toBe(true);
    await page.getByText('3 of 3 done.').first().waitFor();
    expect(await drop('fourth.jpg')).toBe(true);
    await page.getByText('4 of 4 done.').first().waitFor();
    expect(await page.locator('.image-row').count()).toBe(4);
    await visit.end();
  });

  it('leads those who are signed in to the cabinet, and on where their session has ended', {
    tags: 'slow',
  }, async () => {
    const visit = await stage.visit({ colorScheme: 'light', width: 390 });
    const { page } = visit;
    const client = await visit.signIn(stage.service, 'returns@example.com');
    await page.goto('/', { waitUntil: 'networkidle' });
    await visit.expectStill();
    expect(await page.getByRole('link', { name: 'Sign in' }).count()).toBe(0);
    await client.post('/v1/auth/logout', {});
    await page.getByRole('navigation').getByRole('link', { name: 'Dashboard' }).click();
    await page.waitForURL('**/sign-in?**');
    await visit.end();
  });

  it.each([360, 390])(
    'has room for those who are signed in at %i pixels',
    { tags: 'slow' },
    async (width) => {
      const visit = await stage.visit({ colorScheme: 'light', width });
      const { page } = visit;
      await visit.signIn(stage.service, `known-${width}@example.com`);
      await page.goto('/', { waitUntil: 'networkidle' });
      expect((await page.locator('.brand span').boundingBox())?.height).toBeLessThanOrEqual(45);
      const buffer = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
      await page
        .getByLabel('Choose images')
        .setInputFiles([{ name: 'photo.jpg', mimeType: 'image/jpeg', buffer }]);
      const images = page.locator('#images');
      await images.getByRole('link', { name: 'Optimize images in your dashboard' }).waitFor();
      expect(await page.getByText(/free account|without an account/).count()).toBe(0);
      await visit.expectGoodForEveryone();
      await visit.end();
    },
  );

  it('shows its call in the chosen language, by keyboard too, and remembers it', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/');
    const code = (name: string) => page.getByRole('region', { name: `optimize: ${name}` });
    await page.getByRole('radio', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    await code('Node').waitFor();
    expect(await code('curl').count()).toBe(0);
    await page.reload();
    await code('Node').waitFor();
    expect(await page.getByRole('radio', { name: 'Node' }).isChecked()).toBe(true);
    visit.expectNoComplaint();
    await visit.end();
  });

  itForEach([320, 390], 'shows one other service beside this one at %i pixels', async (width) => {
    const visit = await stage.visit({ colorScheme: 'light', width });
    const { page } = visit;
    await page.goto('/');
    const headers = page.locator('.beside thead th:visible');
    expect(await headers.last().textContent()).toBe('Tinify');
    await page.getByRole('radio', { name: 'Tinify' }).focus();
    await page.keyboard.press('ArrowLeft');
    expect(await headers.allTextContents()).toEqual([
      'What is compared',
      'Fewer Bytes',
      'imgproxy',
    ]);
    for (const cell of await page.locator('.beside td:visible').all()) {
      const { x = 0, width: cellWidth = 0 } = (await cell.boundingBox()) ?? {};
      expect(cellWidth).toBeGreaterThan(90);
      expect(x + cellWidth).toBeLessThanOrEqual(width);
    }
    visit.expectNoComplaint();
    await visit.end();
  });

  it('is there before anybody scrolls, without scripts, and on paper with all answers', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.route('**/*.js', (route) => route.abort());
    await page.goto('/');
    const shown = (what: string) =>
      page.evaluate<boolean[]>(`[...document.querySelectorAll('${what}')]
        .map((element) => element.checkVisibility({ contentVisibilityAuto: true }))`);
    const chapters = await shown('h2');
    expect(chapters.length).toBeGreaterThan(7);
    expect(chapters).not.toContain(false);
    const codes = '.choice-panels pre';
    expect((await shown(codes)).filter(Boolean)).toHaveLength(1);
    await page.emulateMedia({ media: 'print' });
    expect((await shown(codes)).filter(Boolean)).toHaveLength(1);
    expect(await shown('.questions p')).not.toContain(false);
    expect(await shown('.beside th')).not.toContain(false);
    expect(await shown('h2')).not.toContain(false);
    await visit.end();
  });

  it('hands out its curl', { tags: 'slow' }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/');
    await page.getByRole('button', { name: 'Copy POST /v1/optimize: curl' }).click();
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toContain(`curl -sS --fail-with-body "${visit.origin}/v1/optimize"`);
    await visit.end();
  });
});
