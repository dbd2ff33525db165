import { viewOf } from '../../container/byte-cursor.ts';
import { changedRows } from '../../pixels/row-source.ts';
import type { AnimationReader } from '../format.ts';
import { webpDecodingMs } from './cpu.ts';
import { type WebpFrame, type WebpInspection, webpFrames, webpPlays } from './reader.ts';
import { makeOpaque, openWebpRows } from './rows.ts';

/** Animated WebP, frame by frame. */
export const webpAnimationReader: AnimationReader<WebpInspection, WebpFrame> = {
  disposals: ['keep', 'background'],
  plays: (file) => webpPlays(viewOf(file)),
  frames: (file, image) => webpFrames(viewOf(file), image),
  cpuMs(image, fileBytes) {
    const pixels = { width: image.width, height: image.height * image.frames };
    return webpDecodingMs({ ...image, ...pixels }, fileBytes);
  },
  blended,
  open: (file, _image, { picture }, memory, use) =>
    openWebpRows(file, picture, memory, (rows) =>
      use(picture.hasAlpha ? rows : changedRows(rows, makeOpaque)),
    ),
};

/** As libwebp rounds it, so that what is kept without loss is what others show (`BlendPixelNonPremult`). */
function blended(above: number, below: number): number {
  const alpha = above >>> 24;
  const under = ((below >>> 24) * (256 - alpha)) >> 8;
  const sum = alpha + under;
  const scale = Math.floor(2 ** 24 / sum);
  const channel = (shift: number) => {
    const value = ((above >>> shift) & 255) * alpha + ((below >>> shift) & 255) * under;
    return Math.floor((value * scale) / 2 ** 24) << shift;
  };
  return (channel(0) | channel(8) | channel(16) | (sum << 24)) >>> 0;
}
