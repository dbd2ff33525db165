import type { Size } from '../../../src/image/pixels/raster.ts';
import type { Random } from '../random.ts';
import { type ComposedFrame, composed } from './composition.ts';
import {
  below,
  canvasSize,
  chance,
  type FramePlan,
  framePlans,
  type GeneratedAnimation,
  pick,
} from './content.ts';
import { type GifFrame, makeGif, type Rgb } from './gif-maker.ts';

/** Hundredths of a second. */
const ticks = [0, 1, 2, 3, 5, 10, 10, 100, 65_535];

export function generatedGif(random: Random): GeneratedAnimation {
  const canvas = canvasSize(random);
  const kind = pick(random, ['drawn', 'photo'] as const);
  const alpha = pick(random, ['opaque', 'binary'] as const);
  const plans = framePlans(random, canvas, {
    kind,
    alpha,
    frames: 2 + below(random, 11),
    disposals: ['keep', 'keep', 'background', 'previous'],
    blends: ['over'],
    offsetStep: 1,
    fullFirst: chance(random, 0.7),
  });
  if (kind === 'photo') for (const { pixels } of plans) toColorCube(pixels);
  const everywhere = new GifPalette(random, plans);
  const palettes = pick(random, ['global', 'local', 'both'] as const);
  const delays = plans.map(() => pick(random, ticks));
  const interlaced = chance(random, 0.3);
  const deferredClear = chance(random, 0.3);
  const noInitialClear = chance(random, 0.1);
  const frames = plans.map((plan, i): GifFrame => {
    const local = palettes === 'local' || (palettes === 'both' && chance(random, 0.5));
    const palette = local ? new GifPalette(random, [plan]) : everywhere;
    const { transparent } = palette;
    return {
      region: plan.region,
      indices: palette.indices(plan.pixels),
      ...(local ? { palette: palette.colors } : {}),
      control: {
        disposal: gifDisposals[plan.disposal],
        delay: delays[i] ?? 0,
        ...(transparent === null ? {} : { transparent }),
      },
      interlaced,
      lzw: { deferredClear, noInitialClear, blockBytes: pick(random, [255, 255, 254, 7, 1]) },
    };
  });
  const loop = pick(random, [undefined, 0, 0, 1, 2, 5, 65_535]);
  const screen = chance(random, 0.15) ? smallScreen(random, canvas, plans) : canvas;
  const file = makeGif({
    width: screen.width,
    height: screen.height,
    ...(palettes === 'local' ? {} : { palette: everywhere.colors }),
    background: pick(random, [0, 1, 255]),
    frames,
    ...(loop === undefined ? {} : { loop }),
    loopName: chance(random, 0.1) ? 'ANIMEXTS1.0' : 'NETSCAPE2.0',
    loopLast: chance(random, 0.1),
    ...(chance(random, 0.2) ? { comment: 'made by a test '.repeat(20) } : {}),
    ...(chance(random, 0.2) ? { xmp: '<x:xmpmeta xmlns:x="adobe:ns:meta/"></x:xmpmeta>' } : {}),
    noTrailer: chance(random, 0.1),
    ...(chance(random, 0.1) ? { garbage: Buffer.from('\0\0garbage') } : {}),
  });
  const plays = loop === undefined ? 1 : loop && loop + 1;
  return {
    name: `GIF, ${kind}, ${alpha}, ${palettes} palettes`,
    type: 'gif',
    file,
    timeline: composed(
      { ...shownSize(screen, plans), plays },
      plans.map((plan, i): ComposedFrame => ({ ...plan, ms: 10 * (delays[i] ?? 0) })),
    ),
  };
}

/** A screen beyond which frames extend, each of them only partly. */
function smallScreen(random: Random, { width, height }: Size, plans: readonly FramePlan[]): Size {
  const least = (begins: number[], side: number) => {
    const from = Math.max(...begins) + 1;
    return from + below(random, side - from + 1);
  };
  const lefts = plans.map(({ region }) => region.left);
  const tops = plans.map(({ region }) => region.top);
  return { width: least(lefts, width), height: least(tops, height) };
}

/** The first frame enlarges the screen, the others are clipped. */
function shownSize({ width, height }: Size, [first]: readonly FramePlan[]): Size {
  if (!first) return { width, height };
  const { left, top, width: across, height: down } = first.region;
  return { width: Math.max(width, left + across), height: Math.max(height, top + down) };
}

const gifDisposals = { keep: 1, background: 2, previous: 3 } as const;

/** All colors of some frames and, if needed or sometimes at random, a transparent one before or after them. */
class GifPalette {
  readonly colors: readonly Rgb[];
  readonly transparent: number | null;
  readonly #indexOf = new Map<number, number>();

  constructor(random: Random, plans: readonly FramePlan[]) {
    const keys = new Set<number>();
    let isTransparent = chance(random, 0.3);
    for (const { pixels } of plans) {
      for (let at = 0; at < pixels.length; at += 4) {
        if (pixels[at + 3] === 0) isTransparent = true;
        else keys.add(pixels.readUIntBE(at, 3));
      }
    }
    const colors = [...keys].map((key): Rgb => [key >> 16, (key >> 8) & 255, key & 255]);
    const begin = isTransparent && chance(random, 0.5) ? 1 : 0;
    for (const [i, key] of [...keys].entries()) this.#indexOf.set(key, begin + i);
    this.transparent = isTransparent ? (begin === 1 ? 0 : colors.length) : null;
    const unused: Rgb = [1, 2, 3];
    if (begin === 1) colors.unshift(unused);
    else if (isTransparent) colors.push(unused);
    this.colors = colors;
  }

  indices(pixels: Buffer): Uint8Array {
    return Uint8Array.from({ length: pixels.length / 4 }, (_, i) => {
      if (pixels[4 * i + 3] === 0) return this.transparent ?? 0;
      return this.#indexOf.get(pixels.readUIntBE(4 * i, 3)) ?? 0;
    });
  }
}

/** Reduces pixels to six levels of red, seven of green and six of blue: 252 colors. */
function toColorCube(pixels: Buffer): void {
  for (let at = 0; at < pixels.length; at++) {
    const steps = [5, 6, 5][at & 3];
    if (steps)
      pixels[at] = Math.round((Math.round(((pixels[at] ?? 0) * steps) / 255) * 255) / steps);
  }
}
