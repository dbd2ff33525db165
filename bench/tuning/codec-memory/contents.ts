import sharp from 'sharp';
import type { Picture } from '../../../test/support/codec-steps.ts';
import { sample } from '../../../test/support/pictures.ts';
import { Random } from '../../../test/support/random.ts';

/**
 * Contents of test pictures. `noise` is incompressible, and thus the worst case of every output buffer; `interface` and
 * `few-colors` activate what encoders have for screen content (hash tables, palettes); `flat` is the best case.
 */
export const contents = [
  'noise',
  'extremes',
  'bilevel',
  'photo',
  'interface',
  'few-colours',
  'flat',
] as const;
export type Content = (typeof contents)[number];

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Every combination of 0 and 255 in four channels. */
const extremes = Uint32Array.from({ length: 16 }, (_, bits) =>
  [0, 1, 2, 3].reduce(
    (sum, channel) => sum + ((bits >> channel) & 1) * 255 * 2 ** (8 * channel),
    0,
  ),
);

/** Renders RGBA of any size; with alpha, the alpha channel is as detailed as the colors. */
export async function renderContent(
  content: Content,
  { width, height }: Size,
  hasAlpha: boolean,
): Promise<Picture> {
  const data = new Uint8ClampedArray(width * height * 4);
  const word = new Uint32Array(data.buffer);
  const random = new Random(1);
  if (content === 'noise') for (let i = 0; i < word.length; i++) word[i] = random.word();
  if (content === 'extremes') {
    for (let i = 0; i < data.length; i += 4) {
      word[i / 4] = extremes[random.word() & 15] ?? 0;
    }
  }
  if (content === 'bilevel') {
    for (let i = 0; i < word.length; i++)
      word[i] = random.word() & 1 ? 0xff_ff_ff_ff : 0x80_00_00_00;
  }
  if (content === 'flat') word.fill(0x80_40_90_c0);
  if (content === 'few-colours') {
    const palette = Uint32Array.from({ length: 200 }, () => random.word());
    for (let i = 0; i < word.length; i++) word[i] = palette[random.word() % 200] ?? 0;
  }
  if (content === 'photo' || content === 'interface')
    data.set(await scaled(content, { width, height }));
  if (!hasAlpha) for (let at = 3; at < data.length; at += 4) data[at] = 255;
  return { width, height, data, hasAlpha };
}

/** A sample picture scaled to a size, with red as alpha. */
async function scaled(content: 'photo' | 'interface', { width, height }: Size): Promise<Buffer> {
  const file = await sample(content === 'photo' ? 'photo.jpg' : 'interface.png');
  const resized = sharp(file).resize(width, height, { fit: 'fill', kernel: 'nearest' });
  const pixels = await resized.raw().toBuffer();
  const rgba = Buffer.alloc(width * height * 4);
  for (let from = 0, to = 0; to < rgba.length; from += 3, to += 4) {
    pixels.copy(rgba, to, from, from + 3);
    rgba[to + 3] = pixels[from] ?? 255;
  }
  return rgba;
}
