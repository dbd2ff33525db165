import type { Size } from '../../../src/image/pixels/raster.ts';
import { type ApngContent, makeApng, pngColor, samplesOf } from './apng-maker.ts';
import { composed } from './composition.ts';
import { type GifContent, makeGif, type Rgb } from './gif-maker.ts';
import type { AnimationType, Timeline } from './timeline.ts';
import { makeWebp, type WebpContent, webpStill } from './webp-maker.ts';

interface BallOptions extends Partial<Size> {
  /**
   * Duration of each frame in milliseconds, multiples of ten; the ball moves before each frame for which `moves` is
   * true.
   */
  readonly durations?: readonly number[];
  /** Whether the ball moves before a frame; before every frame if absent. */
  readonly moves?: (frame: number) => boolean;
  /** Number of plays; 0: endless. */
  readonly plays?: number;
  /** Makes everything except the ball transparent. */
  readonly isTransparent?: boolean;
  /** Additional contents of the file. */
  readonly gif?: Partial<GifContent>;
  readonly png?: Partial<ApngContent>;
  readonly webp?: Partial<WebpContent>;
}

export interface MovingBall {
  readonly type: AnimationType;
  readonly file: Uint8Array<ArrayBuffer>;
  readonly timeline: Timeline;
}

const ballColor: Rgb = [230, 40, 60];
const transparent = 17;
/** Stripes of the background, the ball, and the transparent color. */
const palette: readonly Rgb[] = [
  ...Array.from({ length: 16 }, (_, i): Rgb => [12 * i, 90 + 8 * i, 220 - 9 * i]),
  ballColor,
  [0, 0, 0],
];

/**
 * A ball that rolls over a striped background. Every frame is complete and stored without optimization, so that much
 * can be saved.
 */
export async function movingBall(
  type: AnimationType,
  {
    width = 96,
    height = 64,
    durations = Array.from({ length: 12 }, () => 100),
    moves = () => true,
    plays = 3,
    isTransparent = false,
    ...others
  }: BallOptions = {},
): Promise<MovingBall> {
  const region = { left: 0, top: 0, width, height };
  let step = 0;
  const frames = durations.map((ms, i) => {
    if (i > 0 && moves(i)) step += 1;
    const indices = drawn({ width, height }, step, isTransparent);
    const pixels = Buffer.from([...indices].flatMap(pixelOf));
    return { ms, indices, pixels };
  });
  const composedFrames = frames.map(({ ms, pixels }) => ({
    ...{ region, pixels, ms },
    ...{ disposal: 'keep' as const, blend: 'replace' as const },
  }));
  const timeline = composed({ width, height, plays }, composedFrames);
  return { type, file: Uint8Array.from(await fileOf()), timeline };

  function fileOf(): Buffer | Promise<Buffer> {
    switch (type) {
      case 'gif':
        return makeGif({
          ...{ width, height, palette },
          frames: frames.map(({ ms, indices }) => ({
            region,
            indices,
            control: { disposal: 2, delay: ms / 10, ...(isTransparent && { transparent }) },
          })),
          ...(plays !== 1 && { loop: Math.max(0, plays - 1) }),
          ...others.gif,
        });
      case 'png':
        return makeApng({
          ...{ width, height, color: pngColor.rgba, depth: 8, plays },
          frames: frames.map(({ ms, pixels }) => ({
            region,
            samples: samplesOf(pixels, pngColor.rgba, 8),
            delay: [ms, 1000],
          })),
          ...others.png,
        });
      case 'webp':
        return webp();
    }
  }

  async function webp(): Promise<Buffer> {
    const stills = await Promise.all(frames.map(({ pixels }) => webpStill(region, pixels)));
    return makeWebp({
      ...{ width, height, loop: plays },
      frames: frames.map(({ ms }, i) => ({
        region,
        chunks: stills[i]?.chunks ?? Buffer.of(),
        duration: ms,
      })),
      ...others.webp,
    });
  }
}

function drawn({ width, height }: Size, step: number, isTransparent: boolean): Uint8Array {
  const radius = height / 4;
  const [x0, y0] = [radius + ((7 * step) % Math.max(1, width - 2 * radius)), height / 2];
  return Uint8Array.from({ length: width * height }, (_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    if ((x - x0) ** 2 + (y - y0) ** 2 < radius ** 2) return 16;
    return isTransparent ? transparent : ((x >> 2) + (y >> 3)) & 15;
  });
}

function pixelOf(index: number): number[] {
  return index === transparent ? [0, 0, 0, 0] : [...(palette[index] ?? [0, 0, 0]), 255];
}
