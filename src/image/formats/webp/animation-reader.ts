import { viewOf } from '../../container/byte-cursor.ts';
import { changedRows } from '../../pixels/row-source.ts';
import type { AnimationReader } from '../animation-format.ts';
import { webpDecodingMs } from './cpu.ts';
import { type WebpFrame, type WebpInspection, webpFrames, webpPlays } from './reader.ts';
import { rewrappedWebp } from './rewrap.ts';
import { makeOpaque, openWebpRows, webpRowBytes } from './rows.ts';

/** Reads animated WebP frame by frame. */
export const webpAnimationReader: AnimationReader<WebpInspection, WebpFrame> = {
  rewrapped: rewrappedWebp,
  plays: (file) => webpPlays(viewOf(file)),
  frames: (file) => webpFrames(viewOf(file)),
  cpuMs(image, fileBytes) {
    const height = (image.frameTotals?.codedPixels ?? 0) / image.width;
    return webpDecodingMs({ ...image, height }, fileBytes);
  },
  arenaBytes({ width, height, hasAlpha }, fileBytes) {
    // A single frame may take nearly the whole file.
    const range = { offset: 0, length: fileBytes };
    const alpha = hasAlpha ? range : null;
    const as = (kind: 'lossy' | 'lossless') =>
      webpRowBytes({ width, height, alpha, hasAlpha, color: { kind, range } });
    return Math.max(as('lossy'), as('lossless'));
  },
  open: (file, _image, { picture }, memory, use) =>
    openWebpRows(file, picture, memory, (rows) =>
      use(picture.hasAlpha ? rows : changedRows(rows, makeOpaque)),
    ),
};
