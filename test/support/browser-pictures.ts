import type { Page } from 'playwright-core';
import { sharedBrowser } from './browser.ts';

/** A picture as a browser shows it: upright if the browser turns it, in sRGB. */
export interface ShownPicture {
  readonly width: number;
  readonly height: number;
  /** RGBA, not premultiplied. */
  readonly rgba: Uint8Array;
}

/** A browser that shows pictures: their pixels can be read as it draws them. */
export class PictureBrowser {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  static async open(): Promise<PictureBrowser> {
    const browser = await sharedBrowser();
    return new PictureBrowser(await browser.newPage());
  }

  /** Whether it can show a picture, and its first frame; null if it refuses the file. */
  async show(file: Uint8Array, type: string): Promise<ShownPicture | null> {
    const url = `data:image/${type};base64,${Buffer.from(file).toString('base64')}`;
    const shown = await this.#page.evaluate<{
      readonly width: number;
      readonly height: number;
      readonly rgba: string;
    } | null>(`(async () => {
      const image = new Image();
      image.src = ${JSON.stringify(url)};
      try {
        await image.decode();
      } catch {
        return null;
      }
      const { naturalWidth: width, naturalHeight: height } = image;
      const context = new OffscreenCanvas(width, height).getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, width, height);
      let text = '';
      for (const byte of data) text += String.fromCharCode(byte);
      return { width, height, rgba: btoa(text) };
    })()`);
    return shown && { ...shown, rgba: Buffer.from(shown.rgba, 'base64') };
  }

  close(): Promise<void> {
    return this.#page.close();
  }
}
