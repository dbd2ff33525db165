import type { Page } from 'playwright-core';
import type { Raster } from '../../src/image/pixels/raster.ts';
import { sharedBrowser } from './browser.ts';

/** What a browser makes of a picture. */
export interface Shown {
  /** Number of frames that it decodes; a text says why it shows none, or not all. */
  readonly frames: number | string;
  readonly width: number;
  readonly height: number;
  /**
   * Root mean square difference from the expected pixels, 0 to 255, of colors multiplied by alpha and of alpha; NaN if
   * the size is another.
   */
  readonly difference: number;
}

const origin = 'http://localhost/';

/** An empty page in Chromium, of a secure origin, because decoders are only there for those. */
export class DecoderPage {
  readonly page: Page;
  #file: Uint8Array = new Uint8Array();
  #expected: Uint8Array = new Uint8Array();

  private constructor(page: Page) {
    this.page = page;
  }

  static async open(): Promise<DecoderPage> {
    const browser = await sharedBrowser();
    const made = new DecoderPage(await browser.newPage());
    await made.page.route(`${origin}**`, (route) => {
      const bytes = { file: made.#file, expected: made.#expected }[
        route.request().url().slice(origin.length)
      ];
      return bytes
        ? route.fulfill({ contentType: 'application/octet-stream', body: Buffer.from(bytes) })
        : route.fulfill({ contentType: 'text/html', body: '' });
    });
    await made.page.goto(origin);
    return made;
  }

  /**
   * Decodes all frames of a file, and compares the first one, as it would be shown without color management.
   * @param type without `image/`
   * @param expected upright; null if only the frames are of interest
   */
  async shown(file: Uint8Array, type: string, expected: Raster | null): Promise<Shown> {
    this.#file = file;
    this.#expected = Uint8Array.from(expected?.data ?? []);
    return this.page.evaluate<Shown>(`(async () => {
      const bytesAt = async (path) => (await fetch('${origin}' + path)).arrayBuffer();
      const none = { width: 0, height: 0, difference: NaN };
      try {
        const data = await bytesAt('file');
        const type = 'image/${type}';
        const decoder = new ImageDecoder({ type, data });
        await decoder.tracks.ready;
        await decoder.completed;
        const frames = decoder.tracks.selectedTrack.frameCount;
        for (let frameIndex = 0; frameIndex < frames; frameIndex += 1) {
          (await decoder.decode({ frameIndex })).image.close();
        }
        decoder.close();
        const how = { colorSpaceConversion: 'none', premultiplyAlpha: 'none' };
        const bitmap = await createImageBitmap(new Blob([data], { type }), how);
        const { width, height } = bitmap;
        const context = new OffscreenCanvas(width, height).getContext('2d');
        context.drawImage(bitmap, 0, 0);
        bitmap.close();
        const seen = context.getImageData(0, 0, width, height).data;
        const expected = new Uint8Array(await bytesAt('expected'));
        if (expected.length !== seen.length) return { ...none, frames, width, height };
        let sum = 0;
        for (let at = 0; at < seen.length; at += 4) {
          const [a, b] = [seen[at + 3], expected[at + 3]];
          for (let i = at; i < at + 3; i += 1) sum += ((seen[i] * a - expected[i] * b) / 255) ** 2;
          sum += (a - b) ** 2;
        }
        return { frames, width, height, difference: Math.sqrt(sum / seen.length) };
      } catch (error) {
        return { ...none, frames: String(error) };
      }
    })()`);
  }

  close(): Promise<void> {
    return this.page.close();
  }
}
