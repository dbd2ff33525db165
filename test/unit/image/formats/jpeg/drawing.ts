import { Random } from '../../../../support/random.ts';

/** Slopes, edges and a little noise, all of one color nowhere. */
export function drawing(width: number, height: number) {
  const random = new Random(9);
  const data = Buffer.alloc(3 * width * height);
  for (let i = 0; i < data.length; i += 1) {
    const [x, y, channel] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width), i % 3];
    const isInside = (x - 90) ** 2 + (y - 80) ** 2 < 3000;
    const slope = 40 + (x + 2 * y) / 5 + 10 * Math.sin(x / 11 + channel);
    data[i] = Math.min(255, slope + (isInside ? 50 - 20 * channel : 0) + 3 * random.normal());
  }
  return { data, width, height };
}
