import { type GifFrame, makeGif, type Rgb } from '../../test/support/animations/gif-maker.ts';
import { Random } from '../../test/support/random.ts';

/** One megapixel. */
const [width, height] = [1250, 800];
const radius = 120;
/** Pixels per frame; the ball moves from one side to the other and back. */
const step = 8;

/** Number of colors of the background and of the ball, each from dark to light. */
const shades = 120;
const palette: readonly Rgb[] = [
  ...Array.from({ length: shades }, (_, i): Rgb => [i, 60 + i, 250 - i]),
  ...Array.from({ length: shades }, (_, i): Rgb => [130 + i, i, 20 + (i >> 1)]),
];

/**
 * A shaded ball on a grainy background; after the first frame, each frame covers only the rectangle that the ball
 * leaves and enters.
 */
export function rollingBall(frames: number): Uint8Array<ArrayBuffer> {
  const random = new Random(1);
  const background = Uint8Array.from({ length: width * height }, (_, i) => {
    const [x, y] = [(i % width) / width, i / width / height];
    const light = 0.5 + 0.25 * Math.sin(7 * x + 5 * y) + 0.03 * random.normal();
    return Math.min(shades - 1, Math.max(0, Math.round(light * shades)));
  });
  const gifFrames = Array.from({ length: frames }, (_, i): GifFrame => {
    const [before, now] = [centerOf(i - 1), centerOf(i)];
    const left = Math.min(before, now) - radius;
    const box = { left, top: height / 2 - radius, width: 2 * radius + step, height: 2 * radius };
    const region = i === 0 ? { left: 0, top: 0, width, height } : box;
    const indices = Uint8Array.from({ length: region.width * region.height }, (__, at) => {
      const x = region.left + (at % region.width);
      const y = region.top + Math.floor(at / region.width);
      const [dx, dy] = [(x - now) / radius, (y - height / 2) / radius];
      const depth = 1 - dx * dx - dy * dy;
      if (depth <= 0) return background[y * width + x] ?? 0;
      const light = 0.35 * (Math.sqrt(depth) - dx - dy) + 0.4;
      return shades + Math.min(shades - 1, Math.max(0, Math.round(light * shades)));
    });
    return { region, indices, control: { disposal: 1, delay: 4 } };
  });
  return Uint8Array.from(makeGif({ width, height, palette, frames: gifFrames, loop: 0 }));
}

/** Horizontal position of the ball's center. */
function centerOf(frame: number): number {
  const range = width - 2 * radius - 2 * step;
  const turn = Math.floor(range / step);
  const at = Math.max(0, frame) % (2 * turn);
  return radius + step + step * Math.min(at, 2 * turn - at);
}
