import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Maximum number of Tab stops before the target on any page. */
const maxStops = 150;

/** A user without a pointer: moves between stops with Tab, and presses keys there. */
export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Presses Tab until the target has the focus. */
  async tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    for (let stops = 0; stops < maxStops; stops += 1) {
      if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) {
        expect(await isOutlined(target), `${target} shows that it has the focus`).toBe(true);
        return;
      }
      await this.#page.keyboard.press('Tab');
    }
    throw new Error(`${target} cannot be reached with Tab`);
  }

  /** Tabs to a button or link, and presses Enter. */
  async press(target: Locator): Promise<void> {
    await this.tabTo(target);
    await this.#page.keyboard.press('Enter');
  }

  /** Tabs to a field, and replaces its contents. */
  async fill(target: Locator, text: string): Promise<void> {
    await this.tabTo(target);
    await this.#page.keyboard.press('ControlOrMeta+a');
    await this.#page.keyboard.type(text);
  }
}

/** Whether the focus is visible: on the element, or on its container. */
function isOutlined(target: Locator): Promise<boolean> {
  return target.evaluate((element) => {
    const view = element.ownerDocument.defaultView;
    for (let shown = element; shown && shown.tagName !== 'MAIN'; shown = shown.parentElement) {
      const { outlineStyle, outlineWidth } = view.getComputedStyle(shown);
      if (outlineStyle !== 'none' && outlineWidth !== '0px') return true;
    }
    return false;
  });
}
