import { storedProfile } from '../../color/icc-reader.ts';
import { startsWith } from '../../container/assemble.ts';
import { viewOf } from '../../container/byte-cursor.ts';
import { changedRows } from '../../pixels/row-source.ts';
import type { RowDecoder } from '../coding.ts';
import type { Format, Reader, Writer } from '../format.ts';
import { lossyPassthrough } from '../passthrough.ts';
import { webpAnimationReader } from './animation-reader.ts';
import { webpAnimationWriter } from './animation-writer.ts';
import { webpDecodingMs, webpDetail } from './cpu.ts';
import { webpDrainingEncoders, webpRowEncoder } from './encoders.ts';
import { webpFacts } from './facts.ts';
import { inspectWebp, type WebpInspection } from './reader.ts';
import { readWebpMetadata, rewrapWebp } from './rewrap.ts';
import { makeOpaque, openWebpRows, webpRowBytes } from './rows.ts';

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
  recognizes: (file) => startsWith(file, 'RIFF') && startsWith(file.subarray(8), 'WEBP'),
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
