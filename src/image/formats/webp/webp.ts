import { storedProfile } from '../../color/icc-reader.ts';
import { viewOf } from '../../container/byte-cursor.ts';
import { changedRows } from '../../pixels/row-source.ts';
import type { AnimationReader } from '../animation-format.ts';
import type { RowDecoder } from '../coding.ts';
import type { Format, Reader, Writer } from '../format.ts';
import { lossyPassthrough } from '../passthrough.ts';
import { webpAnimationWriter } from './animation-writer.ts';
import { webpDecodingMs, webpDetail, webpDrainingEncoders, webpRowEncoder } from './encoders.ts';
import { webpFacts } from './facts.ts';
import {
  inspectWebp,
  type WebpFrame,
  type WebpInspection,
  webpFrames,
  webpPlays,
} from './reader.ts';
import { readWebpMetadata, rewrappedWebp, rewrapWebp } from './rewrap.ts';
import { makeOpaque, openWebpRows, webpRowBytes } from './rows.ts';

/** Reads animated WebP frame by frame. */
const webpAnimationReader: AnimationReader<WebpInspection, WebpFrame> = {
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

const decoder: RowDecoder<WebpInspection> = {
  arenaBytes: ({ picture }) => webpRowBytes(picture),
  cpuMs: webpDecodingMs,
  maxHalvings: 0,
  halvingsFor: () => 0,
  open: (file, { picture, hasAlpha, compression }, _how, memory, use) =>
    openWebpRows(file, picture, memory, (rows) =>
      use(compression === 'lossless' && !hasAlpha ? changedRows(rows, makeOpaque) : rows),
    ),
};

const read: Reader<WebpInspection> = {
  inspect: (file) => inspectWebp(viewOf(file)),
  samples: ({ bitDepth }) => ({ kind: 'rgb', bitDepth, profiles: ['rgb'], stated: null }),
  withSize: (image, size) => ({ ...image, ...size, picture: { ...image.picture, ...size } }),
  profile: (file, { icc }) => storedProfile(file, icc),
  metadata: readWebpMetadata,
  rewrap: rewrapWebp,
  decoder,
  detail: webpDetail,
  animation: webpAnimationReader,
  candidates({ image }, { quality, isAutomatic, exact }) {
    const isTooLong = Math.max(image.width, image.height) > webpFacts.output.longestSide;
    if (isTooLong || (exact && image.compression === 'lossy')) {
      return [{ ...lossyPassthrough, verify: true }];
    }
    // A lossless picture was made so on purpose, and stays lossless.
    const staysLossless = isAutomatic && image.compression === 'lossless';
    return [{ kind: 'encode', quality: staysLossless ? 'lossless' : quality }, lossyPassthrough];
  },
};

const write: Writer = {
  encoders: (shape, coding) => [webpRowEncoder(shape, coding)],
  asideEncoders: webpDrainingEncoders,
  animation: webpAnimationWriter,
  automaticQuality: (image) => (isLossless(image as WebpInspection) ? 'lossless' : null),
};

function isLossless({ type, compression }: WebpInspection): boolean {
  return type === 'webp' && compression === 'lossless';
}

/** WebP: RFC 9649. */
export const webp = { facts: webpFacts, read, write } as const satisfies Format<WebpInspection>;
