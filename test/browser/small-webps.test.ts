import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/local/browsers.ts';
import { joinBytes } from '../../src/image/container/assemble.ts';
import { webpRowEncoder } from '../../src/image/formats/webp/encoders.ts';
import { noMetadata } from '../../src/image/metadata/metadata.ts';
import { rowsOf } from '../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../src/image/slices.ts';
import { arena } from '../../src/image/wasm/arena.ts';
import { makeApng, pngColor } from '../support/animations/apng-maker.ts';
import { confetti, type PictureAt } from '../support/animations/soft-pictures.ts';
import { sharedBrowser } from '../support/browser.ts';
import { itForEach } from '../support/each.ts';
import { optimize } from '../support/engine.ts';
import { isFull } from '../support/full.ts';
import { pixels } from '../support/pictures.ts';

const contents: Readonly<Record<string, PictureAt>> = {
  flat: () => [200, 80, 40, 255],
  noise: confetti,
  alpha: (x, y) => [8 * x, 8 * y, 128, Math.hypot(x - 8, y - 8) < 8 ? 255 : 0],
};

/** A faint grain, which takes many bits without loss, and hardly any with it. */
const grainy: PictureAt = (x, y, frame) => [
  ...confetti(x, y, frame)
    .slice(0, 3)
    .map((sample) => 90 + 40 * frame + (sample >> 5)),
  255,
];

/** All sizes of one macroblock that differ in a side, and some beyond; in full runs, all up to four macroblocks. */
const sizes = isFull
  ? Array.from({ length: 32 * 32 }, (_, i) => [1 + (i % 32), 1 + (i >> 5)] as const)
  : Array.from({ length: 17 }, (_, i) => i + 1).flatMap(
      (side) =>
        [
          [side, side],
          [side, 1],
          [1, side],
          [side, 16],
          [17, side],
        ] as const,
    );

function drawn(width: number, height: number, at: PictureAt, frame: number) {
  const data = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < width * height; i += 1) {
    data.set(at(i % width, Math.floor(i / width), frame), 4 * i);
  }
  return data;
}

function lossyStill(width: number, height: number, at: PictureAt): Uint8Array {
  const coding = { quality: 60, exact: false, grey: false, icc: null };
  const encoder = webpRowEncoder({ width, height, hasAlpha: true }, coding);
  arena.reserve(encoder.maxBytes);
  const data = drawn(width, height, at, 0);
  const work = encoder.encode(rowsOf({ width, height, data }), {
    memory: arena,
    appearance: { icc: null, metadata: noMetadata },
    maxBytes: encoder.maxBufferBytes,
    bufferBytes: encoder.maxBufferBytes,
  });
  return joinBytes(runAtOnce(work).parts);
}

/** What Chromium decodes: RGBA of the first frame, and the number of frames, or why one of them was refused. */
interface Seen {
  readonly frames: number | string;
  readonly rgba: string;
}

describe.skipIf(findChromium() === null)('small WebPs in Chromium', () => {
  let page: Page;
  beforeAll(async () => {
    page = await (await sharedBrowser()).newPage();
    // Decoders are only there for pages of secure origins.
    const url = 'http://localhost/';
    await page.route(url, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await page.goto(url);
  });
  afterAll(() => page?.close());

  /** Decodes all frames of files with the browser's own decoder. */
  function seen(files: readonly Uint8Array[]): Promise<Seen[]> {
    const coded = files.map((file) => Buffer.from(file).toString('base64'));
    return page.evaluate<Seen[]>(`(async () => {
      const results = [];
      for (const file of ${JSON.stringify(coded)}) {
        const data = Uint8Array.from(atob(file), (c) => c.charCodeAt(0));
        const decoder = new ImageDecoder({ type: 'image/webp', data });
        try {
          await decoder.tracks.ready;
          await decoder.completed;
          const frames = decoder.tracks.selectedTrack.frameCount;
          let first;
          for (let frameIndex = 0; frameIndex < frames; frameIndex += 1) {
            const { image } = await decoder.decode({ frameIndex });
            first ??= image;
          }
          const canvas = new OffscreenCanvas(first.codedWidth, first.codedHeight);
          const context = canvas.getContext('2d');
          context.drawImage(first, 0, 0);
          const { data: rgba } = context.getImageData(0, 0, canvas.width, canvas.height);
          results.push({ frames, rgba: btoa(String.fromCharCode(...rgba)) });
        } catch (error) {
          results.push({ frames: String(error), rgba: '' });
        }
      }
      return results;
    })()`);
  }

  /** Fails unless the browser shows about what libwebp decodes all at once. */
  async function expectSeen(
    files: readonly { readonly name: string; readonly file: Uint8Array; readonly frames: number }[],
  ): Promise<void> {
    const shown = await seen(files.map(({ file }) => file));
    for (const [i, { name, file, frames }] of files.entries()) {
      expect(shown[i]?.frames, name).toBe(frames);
      const rgba = Buffer.from(shown[i]?.rgba ?? '', 'base64');
      const expected = await pixels(file);
      expect(rgba.length, name).toBe(expected.length);
      // Browsers interpolate chroma in their own way; colors are not visible where a pixel is transparent.
      const off = expected.map((sample, at) => {
        const isVisible = at % 4 === 3 || expected[at | 3] === 255;
        return isVisible ? Math.abs((rgba[at] ?? 0) - sample) : 0;
      });
      expect(off.reduce((sum, one) => sum + one, 0) / off.length, name).toBeLessThan(20);
    }
  }

  itForEach(Object.entries(contents), 'are decoded in every size: %s', async (name, at) => {
    const files = sizes.map(([width, height]) => ({
      name: `${name}, ${width} × ${height}`,
      file: lossyStill(width, height, at),
      frames: 1,
    }));
    await expectSeen(files);
  });

  it('are decoded as frames, of the whole canvas or of parts', { tags: 'slow' }, async () => {
    const sides = Array.from({ length: 17 }, (_, i) => i + 1);
    const files = sides.flatMap((side) =>
      [side, 40].map((canvas) => {
        const at: PictureAt = (x, y, frame) =>
          Math.max(x, y) < side ? grainy(x, y, frame) : [30, 60, 90, 255];
        const region = { left: 0, top: 0, width: canvas, height: canvas };
        const frames = [0, 1, 2].map((frame) => ({
          region,
          samples: drawn(canvas, canvas, at, frame),
          delay: [1, 10] as const,
        }));
        const shape = { width: canvas, height: canvas, color: pngColor.rgba, depth: 8 } as const;
        const apng = makeApng({ ...shape, plays: 0, frames });
        const { bytes } = optimize(Uint8Array.from(apng), { format: 'webp', quality: 20 });
        return { name: `${side} in ${canvas}`, file: bytes, frames: 3 };
      }),
    );
    expect(files.some(({ file }) => Buffer.from(file).includes('VP8 '))).toBe(true);
    await expectSeen(files);
  });
});
