import sharp from 'sharp';
import type { Quality } from '../../../../../src/image/formats/inspection.ts';
import type { Coded } from '../../../../../src/image/formats/jpeg/code-picture.ts';
import { type JpegKernel, runJpegKernel } from '../../../../../src/image/formats/jpeg/kernel.ts';
import {
  codeCandidate,
  coefficientCandidates,
} from '../../../../../src/image/formats/jpeg/recode.ts';
import { jpegHead } from '../../../../../src/image/formats/jpeg/rewrap.ts';
import { scansOf } from '../../../../../src/image/formats/jpeg/scan-list.ts';
import { noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import { runAtOnce, type Slices } from '../../../../../src/image/slices.ts';
import { jpegInspection } from './inspected.ts';

/** Makes a kernel behave as it would elsewhere. */
export type Change = (kernel: JpegKernel) => JpegKernel;

/** The bytes of the kernel's memory move when it grows, so they are always asked of the kernel itself. */
function changed(kernel: JpegKernel, changes: Partial<JpegKernel>): JpegKernel {
  return Object.assign(Object.create(kernel), changes);
}

/** As if tokens had filled the arena: the picture is streamed. */
export function withoutRoomForTokens(kernel: JpegKernel): JpegKernel {
  return changed(kernel, { keepRow: () => 0 });
}

/** As if there was no room for a result beside the tokens, of which it takes notice when it begins. */
export function withoutRoomForResult(kernel: JpegKernel): JpegKernel {
  let begun = 0;
  return changed(kernel, {
    room: () => 0,
    beginOutput: (most) => (begun++ === 0 ? 0 : kernel.beginOutput(most)),
  });
}

/** The file coded anew, in the first candidate that there is; that it fails is an error. */
export function recoded(
  file: Uint8Array,
  quality: Quality = 'lossless',
  change?: Change,
): Uint8Array {
  const result = outcome(file, quality, change);
  if (result.kind !== 'coded') throw new Error(result.kind);
  return result.bytes;
}

/** What came of it, and the bytes where nothing touches them any more. */
export function outcome(...what: Parameters<typeof recoding>): Coded {
  return runAtOnce(recoding(...what));
}

/** The work of coding a file anew, in the first candidate that there is. */
export function* recoding(
  file: Uint8Array,
  quality: Quality,
  change: Change = (kernel) => kernel,
  maxBytes = 2 ** 22,
): Slices<Coded> {
  const image = jpegInspection(file);
  const list = scansOf(file, image);
  const head = jpegHead(file, { icc: null, metadata: noMetadata });
  const [candidate] = coefficientCandidates(image, list, quality);
  if (!candidate) throw new Error('no candidate');
  const settings = { ...candidate, head, maxBytes, mayStream: true };
  const result = yield* runJpegKernel(file, (kernel) =>
    codeCandidate(change(kernel), image, list, settings),
  );
  return result.kind === 'coded' ? { ...result, bytes: result.bytes.slice() } : result;
}

/** Pixels as libjpeg decodes them, inks as they are. */
export function samples(file: Uint8Array): Promise<Buffer> {
  const isInk = jpegInspection(file).components.length === 4;
  const picture = sharp(file, { failOn: 'warning' });
  return (isInk ? picture.pipelineColourspace('cmyk').toColourspace('cmyk') : picture)
    .raw()
    .toBuffer();
}
