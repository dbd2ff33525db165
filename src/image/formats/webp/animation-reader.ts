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
  frames: (file) => webpFrames(viewOf(file)),
  cpuMs(image, fileBytes) {
    const pixels = { width: image.width, height: image.height * image.frames };
    return webpDecodingMs({ ...image, ...pixels }, fileBytes);
  },
  open: (file, _image, { picture }, memory, use) =>
    openWebpRows(file, picture, memory, (rows) =>
      use(picture.hasAlpha ? rows : changedRows(rows, makeOpaque)),
    ),
};
