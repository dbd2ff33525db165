import type { Random } from '../random.ts';
import {
  type ApngFrame,
  makeApng,
  type PngColor,
  type PngDepth,
  pngColor,
  samplesOf,
} from './apng-maker.ts';
import { type ComposedFrame, composed } from './composition.ts';
import {
  type AlphaKind,
  below,
  canvasSize,
  chance,
  framePlans,
  type GeneratedAnimation,
  pick,
} from './content.ts';

/** A kind of PNG: the pixels it can hold, and how they are encoded. */
interface PngKind {
  readonly name: string;
  readonly color: PngColor;
  readonly depth: PngDepth;
  readonly alphas: readonly AlphaKind[];
  /** Binary alpha, by a color that tRNS declares transparent. */
  readonly keyed?: boolean;
}

const opaque = ['opaque'] as const;
const binary = ['binary'] as const;
const any = ['opaque', 'binary', 'partial'] as const;

const kinds: readonly PngKind[] = [
  { name: 'RGBA', color: pngColor.rgba, depth: 8, alphas: any },
  { name: 'RGBA', color: pngColor.rgba, depth: 8, alphas: any },
  { name: 'RGB', color: pngColor.rgb, depth: 8, alphas: opaque },
  { name: 'RGB, keyed', color: pngColor.rgb, depth: 8, alphas: binary, keyed: true },
  { name: 'grey', color: pngColor.grey, depth: 8, alphas: opaque },
  { name: 'grey, keyed', color: pngColor.grey, depth: 8, alphas: binary, keyed: true },
  { name: 'grey', color: pngColor.grey, depth: 1, alphas: opaque },
  { name: 'grey', color: pngColor.grey, depth: 2, alphas: opaque },
  { name: 'grey', color: pngColor.grey, depth: 4, alphas: opaque },
  { name: 'grey with alpha', color: pngColor.greyAlpha, depth: 8, alphas: any },
  { name: 'palette', color: pngColor.palette, depth: 1, alphas: any },
  { name: 'palette', color: pngColor.palette, depth: 2, alphas: any },
  { name: 'palette', color: pngColor.palette, depth: 4, alphas: any },
  { name: 'palette', color: pngColor.palette, depth: 8, alphas: any },
  { name: 'RGBA', color: pngColor.rgba, depth: 16, alphas: any },
  { name: 'RGB', color: pngColor.rgb, depth: 16, alphas: opaque },
  { name: 'grey', color: pngColor.grey, depth: 16, alphas: opaque },
  { name: 'grey with alpha', color: pngColor.greyAlpha, depth: 16, alphas: any },
];

const delays: readonly (readonly [number, number])[] = [
  [0, 100],
  [1, 100],
  [2, 100],
  [5, 100],
  [10, 0],
  [0, 0],
  [1, 3],
  [1001, 30_000],
  [40, 1000],
  [65_535, 1],
  [65_535, 65_535],
];

/** The gray level, and the red, green and blue value, of the transparent color in tRNS. */
const key = 0;

export function generatedApng(random: Random): GeneratedAnimation {
  const canvas = canvasSize(random);
  const content = pick(random, ['drawn', 'photo'] as const);
  const kind = pick(random, kinds);
  const alpha = pick(random, kind.alphas);
  const hasDefault = chance(random, 0.2);
  const plans = framePlans(random, canvas, {
    kind: content,
    alpha,
    frames: 2 + below(random, 11),
    disposals: ['keep', 'keep', 'background', 'previous'],
    blends: ['over', 'replace'],
    offsetStep: 1,
    fullFirst: !hasDefault,
  });
  const palette =
    kind.color === pngColor.palette ? new PngPalette(random, kind.depth, alpha) : null;
  const samples = (pixels: Buffer) => {
    fitPixels(pixels, kind, palette);
    return samplesOf(pixels, kind.color, kind.depth, (pixel) => palette?.indexOf(pixel) ?? 0);
  };
  const shown: ComposedFrame[] = [];
  const frames = plans.map(({ region, pixels, disposal, blend }): ApngFrame => {
    const delay = pick(random, delays);
    shown.push({ region, pixels, disposal, blend, ms: (1000 * delay[0]) / (delay[1] || 100) });
    return {
      region,
      samples: samples(pixels),
      delay,
      disposal: { keep: 0, background: 1, previous: 2 }[disposal],
      blend: { replace: 0, over: 1 }[blend],
      parts: 1 + below(random, 3),
    };
  });
  const plays = pick(random, [0, 0, 1, 2, 5, 65_536, 2 ** 31 - 1]);
  const interlaced = chance(random, 0.2);
  const transparency = kind.keyed
    ? Array.from({ length: kind.color === pngColor.grey ? 1 : 3 }, () => key)
    : palette?.alphas;
  const defaultPixels = Buffer.alloc(4 * canvas.width * canvas.height, 255);
  const file = makeApng({
    ...canvas,
    color: kind.color,
    depth: kind.depth,
    interlaced,
    ...(palette ? { palette: palette.colors } : {}),
    ...(transparency ? { transparency } : {}),
    plays,
    frames,
    ...(hasDefault ? { defaultImage: samples(defaultPixels) } : {}),
    ...(chance(random, 0.2) ? { before: [{ type: 'sRGB', data: Buffer.from([0]) }] } : {}),
    ...(chance(random, 0.2)
      ? { behind: [{ type: 'tEXt', data: Buffer.from('Title\0made by a test') }] }
      : {}),
  });
  const details = `${interlaced ? ', interlaced' : ''}${hasDefault ? ', default image' : ''}`;
  return {
    name: `APNG, ${content}, ${alpha}, ${kind.name} of ${kind.depth} bits${details}`,
    type: 'png',
    file,
    timeline: composed({ ...canvas, plays }, shown),
  };
}

/** Changes pixels so that this kind of PNG can hold them; pixels that already fit stay unchanged. */
function fitPixels(
  pixels: Buffer,
  { color, depth, keyed }: PngKind,
  palette: PngPalette | null,
): void {
  const isGrey = color === pngColor.grey || color === pngColor.greyAlpha;
  const most = 2 ** Math.min(8, depth) - 1;
  for (let at = 0; at < pixels.length; at += 4) {
    const pixel = pixels.subarray(at, at + 4);
    if (palette) pixel.set(palette.nearest(pixel));
    if (isGrey)
      pixel.fill(Math.round((Math.round(((pixel[1] ?? 0) * most) / 255) * 255) / most), 0, 3);
    if (!keyed) continue;
    if (pixel[3] === 0) pixel.fill(key, 0, 3);
    else if (pixel.readUIntBE(0, 3) === 0) pixel.fill(1, 0, 3);
  }
}

type Color = readonly [number, number, number];

/** Random colors; the first ones are transparent or translucent, as the alpha kind requires. */
class PngPalette {
  readonly colors: readonly Color[];
  /** There may be fewer alphas than colors: the other colors are opaque. */
  readonly alphas: number[] | undefined;
  readonly #entries: Buffer[];
  readonly #nearest = new Map<number, Buffer>();

  constructor(random: Random, depth: PngDepth, alpha: AlphaKind) {
    const sample = () => random.word() & 255;
    const count = Math.min(40, 2 ** depth);
    this.colors = Array.from({ length: count }, (): Color => [sample(), sample(), sample()]);
    const partial = Array.from({ length: count >> 1 }, (_, i) => (i === 0 ? 0 : sample()));
    this.alphas = { opaque: undefined, binary: [0], partial }[alpha];
    this.#entries = this.colors.map((color, i) => Buffer.from([...color, this.alphas?.[i] ?? 255]));
  }

  nearest(pixel: Buffer): Buffer {
    const wanted = pixel.readUInt32BE();
    const known = this.#nearest.get(wanted);
    if (known) return known;
    const distances = this.#entries.map((entry) =>
      entry.reduce((sum, value, i) => sum + (value - (pixel[i] ?? 0)) ** 2, 0),
    );
    const best = this.#entries[distances.indexOf(Math.min(...distances))] ?? pixel;
    this.#nearest.set(wanted, best);
    return best;
  }

  indexOf(pixel: Buffer): number {
    return this.#entries.findIndex((entry) => entry.equals(pixel));
  }
}
