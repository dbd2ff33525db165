import type { Appearance, Quality } from '../../../../../src/image/formats/inspection.ts';
import { CodedRows } from '../../../../../src/image/formats/jpeg/code-picture.ts';
import { openJpegRows, SourceRows } from '../../../../../src/image/formats/jpeg/decode.ts';
import { coefficientCandidates } from '../../../../../src/image/formats/jpeg/recode.ts';
import { scansOf } from '../../../../../src/image/formats/jpeg/scan-list.ts';
import { codePicture } from '../../../../../src/image/formats/jxl/code-picture.ts';
import { type JxlKernel, runJxlKernel } from '../../../../../src/image/formats/jxl/kernel.ts';
import type { Orientation } from '../../../../../src/image/metadata/exif-block.ts';
import { noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import { gathered } from '../../../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { jpegInspection } from '../jpeg/inspected.ts';

/** Makes a kernel behave as it would elsewhere. */
type Change = (kernel: JxlKernel) => JxlKernel;

/** As if tokens had filled the arena: the picture is streamed. */
export const withoutRoomForTokens: Change = (kernel) =>
  Object.assign(Object.create(kernel), { keepRow: () => 0 });

/** As if there was no room for a result beside the tokens, of which it takes notice as it writes. */
export const withoutRoomForResult: Change = (kernel) => {
  let begun = 0;
  return Object.assign(Object.create(kernel), {
    room: () => 0,
    beginCodestream: (most: number) => kernel.beginCodestream(begun++ === 0 ? 40 : most),
  });
};

interface Transcoding {
  readonly quality?: Quality;
  readonly appearance?: Appearance;
  /** Absent: as the JPEG says. */
  readonly orientation?: Orientation;
  readonly change?: Change;
}

/** A JPEG as JPEG XL, in the first way that there is; that it fails is an error. */
export function transcoded(
  file: Uint8Array<ArrayBuffer>,
  {
    quality = 'lossless',
    appearance = { icc: null, metadata: noMetadata },
    orientation,
    change = (kernel) => kernel,
  }: Transcoding = {},
): Uint8Array {
  const image = jpegInspection(file);
  const list = scansOf(file, image);
  const [candidate] = coefficientCandidates(image, list, quality);
  if (!candidate) throw new Error('no candidate');
  const { width, height } = image;
  const shape = { width, height, sampling: candidate.sampling };
  const transcode = function* (linked: JxlKernel) {
    const kernel = change(linked);
    const source = new SourceRows(kernel, image, list);
    const rows = new CodedRows(kernel, source, shape, candidate.tables);
    return yield* codePicture(kernel, rows, shape, {
      appearance,
      orientation: orientation ?? image.orientation,
      isRequantized: candidate.tables !== null,
      maxBytes: 2 ** 22,
      mayStream: true,
    });
  };
  const coded = runAtOnce(runJxlKernel(file, transcode));
  if (coded.kind !== 'coded') throw new Error(coded.kind);
  return Buffer.concat(coded.parts);
}

/** The pixels that our own reader says decoders of JPEG XL show, RGB. */
export function shownPixels(file: Uint8Array<ArrayBuffer>): Buffer {
  const image = jpegInspection(file);
  const how = { halvings: 0, deepSamples: null, asTranscoded: true } as const;
  const { data } = runAtOnce(openJpegRows(file, image, how, arena, gathered));
  return Buffer.from(data.filter((_, i) => i % 4 !== 3));
}
