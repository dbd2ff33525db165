import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tabsOf } from '../../src/cabinet/text/interface.ts';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { Keyboard } from '../support/keyboard.ts';

// Nothing is sold here.
const names = tabsOf(false).map(({ name }) => name);

describeInBrowser('the header of the cabinet', (stage) => {
  let visit: Visit;
  let page: Page;
  let people = 0;
  beforeEach(async () => {
    people += 1;
    visit = await stage.visit({ colorScheme: 'light', width: 390 });
    page = visit.page;
    await visit.openCabinet(stage.service, `shell-${people}@example.com`);
  });
  afterEach(async () => {
    visit.expectNoComplaint();
    await visit.end();
  });

  const tab = (name: string) =>
    page.getByRole('navigation').getByRole('link', { name, exact: true });
  const avatar = () => page.getByRole('button', { name: 'Account menu' });
  const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
  const isFocused = (target: ReturnType<typeof item>) =>
    target.evaluate<boolean, Element>((element) => element.matches(':focus'));

  it.each([390, 360, 768, 1280, 1920])(
    'is one row at %i pixels, in every section',
    { tags: 'slow' },
    async (width) => {
      await page.setViewportSize({ width, height: 800 });
      const header = page.getByRole('banner');
      const places = async () => ({
        height: (await header.boundingBox())?.height,
        widths: await Promise.all(
          names.map(async (name) => (await tab(name).boundingBox())?.width),
        ),
        avatar: await avatar().boundingBox(),
      });
      const first = await places();
      expect(first.height).toBeLessThanOrEqual(70);
      for (const name of names.slice(1)) {
        await tab(name).click();
        await page.getByRole('heading', { level: 1, name }).waitFor();
        expect(await places()).toEqual(first);
        // The row has scrolled to it.
        const box = await tab(name).boundingBox();
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(first.avatar?.x ?? 0);
      }
      await visit.expectNoSidewaysScroll();
    },
  );

  it('leads to the start page, and has no tab for payment where nothing is sold', async () => {
    expect(names).not.toContain('Payment');
    await page.goto('/cabinet/payment');
    await page.getByRole('heading', { level: 1, name: 'Payment' }).waitFor();
    expect(await page.getByRole('banner').getByRole('link', { name: 'Payment' }).count()).toBe(0);
    const header = page.getByRole('banner').getByRole('link');
    expect(await header.first().getAttribute('href')).toBe('/cabinet');
    await header.first().click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it('has a menu that can be used without a pointer', { tags: 'slow' }, async () => {
    const keyboard = new Keyboard(page);
    await keyboard.press(avatar());
    await page.getByText(`shell-${people}@example.com`).waitFor();
    expect(await isFocused(item('Account'))).toBe(true);
    await visit.expectGoodForEveryone();
    await page.keyboard.press('ArrowUp');
    expect(await isFocused(item('Sign out'))).toBe(true);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await isFocused(item('Docs'))).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('menu').count()).toBe(0);
    expect(await isFocused(avatar())).toBe(true);

    await page.keyboard.press('ArrowUp');
    expect(await isFocused(item('Sign out'))).toBe(true);
    await page.keyboard.press('Tab');
    await expect.poll(() => page.getByRole('menu').count()).toBe(0);

    await keyboard.press(avatar());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    expect(await page.getByRole('menu').count()).toBe(0);
  });

  it('has a menu that a click elsewhere closes, and that signs out from anywhere', {
    tags: 'slow',
  }, async () => {
    await page.goto('/cabinet/statistics');
    await avatar().click();
    await item('Account').waitFor();
    await page.mouse.click(20, 700);
    await expect.poll(() => page.getByRole('menu').count()).toBe(0);
    await avatar().click();
    await item('Sign out').click();
    await page.waitForURL(`${visit.origin}/`);
    await page.goto('/cabinet');
    await page.waitForURL('**/sign-in?**');
  });
});
