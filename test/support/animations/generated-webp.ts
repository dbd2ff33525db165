import { displayP3Profile } from '../icc.ts';
import type { Random } from '../random.ts';
import { type ComposedFrame, composed, libwebpOver } from './composition.ts';
import {
  type AlphaKind,
  below,
  canvasSize,
  chance,
  framePlans,
  type GeneratedAnimation,
  pick,
} from './content.ts';
import { makeWebp, type WebpFrame, webpStill } from './webp-maker.ts';

/** Milliseconds. */
const durations = [0, 1, 2, 5, 10, 40, 100, 65_535, 2 ** 24 - 1];

export async function generatedWebp(random: Random): Promise<GeneratedAnimation> {
  const canvas = canvasSize(random);
  const kind = pick(random, ['drawn', 'photo'] as const);
  const alpha: AlphaKind = pick(random, ['opaque', 'binary', 'partial']);
  const plans = framePlans(random, canvas, {
    kind,
    alpha,
    frames: 2 + below(random, 11),
    disposals: ['keep', 'keep', 'background'],
    blends: ['over', 'replace'],
    offsetStep: 2,
    fullFirst: chance(random, 0.6),
  });
  const coding = pick(random, ['lossless', 'lossy', 'both'] as const);
  const frames: WebpFrame[] = [];
  const shown: ComposedFrame[] = [];
  for (const { region, pixels, disposal, blend } of plans) {
    const lossless = coding === 'lossless' || (coding === 'both' && chance(random, 0.5));
    const options = lossless ? { lossless, exact: true } : { quality: pick(random, [30, 75, 95]) };
    const still = await webpStill(region, pixels, options);
    const ms = pick(random, durations);
    const dispose = disposal === 'background';
    const frame = { region, chunks: still.chunks, duration: ms };
    frames.push({ ...frame, blend: blend === 'over', dispose });
    shown.push({ region, pixels: still.pixels, ms, disposal, blend });
  }
  const plays = pick(random, [0, 0, 1, 2, 5, 65_535]);
  const file = makeWebp({
    ...canvas,
    background: pick(random, [
      [0, 0, 0, 0],
      [255, 255, 255, 255],
      [1, 2, 3, 128],
    ]),
    loop: plays,
    frames,
    alpha: alpha !== 'opaque' || chance(random, 0.5),
    ...(chance(random, 0.2) ? { icc: displayP3Profile() } : {}),
    ...(chance(random, 0.2) ? { exif: Buffer.from('II*\0\b\0\0\0\0\0\0\0\0\0') } : {}),
    ...(chance(random, 0.2) ? { xmp: Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>') } : {}),
    unknown: chance(random, 0.1),
  });
  return {
    name: `WebP, ${kind}, ${alpha}, ${coding}`,
    type: 'webp',
    file,
    timeline: composed({ ...canvas, plays }, shown, libwebpOver),
  };
}
