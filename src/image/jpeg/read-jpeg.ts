import type { JpegInspection } from '../inspect/inspection.ts';
import { expectRoom, runJpegKernel } from './kernel.ts';
import { sourceFrame } from './kernel-exports.ts';
import { scansOf } from './scan-list.ts';
import { SourceRows } from './source-rows.ts';

/** Halvings of the picture's sides that come free with decoding. */
export type Halvings = 0 | 1 | 2 | 3;

/** Size of a picture's side after so many halvings, in pixels. */
export function halved(side: number, halvings: Halvings): number {
  return Math.ceil(side / 2 ** halvings);
}

/**
 * Reads the pixels of a grey, YCbCr or RGB JPEG as rows that flow, in full size or reduced by a
 * smaller inverse DCT: nothing of the picture's size exists, but for the coefficients of a progressive
 * one. What it takes of the arena has been reserved before: see `jpegReadingBytes`.
 *
 * @param push is given each row of RGBA in turn, for as long as it runs; not before all memory is there
 * @throws CodecError where the file is damaged, or takes more memory than there is
 */
export function readJpegRows(
  file: Uint8Array,
  image: JpegInspection,
  halvings: Halvings,
  push: (row: Uint8Array) => void,
): void {
  const list = scansOf(file, image);
  runJpegKernel(file, (kernel) => {
    const rows = new SourceRows(kernel, image, list);
    rows.begin();
    expectRoom(kernel.beginPixels(halvings, pixelKind(image)));
    const rowBytes = 4 * halved(image.width, halvings);
    const down = kernel.mcusDown(sourceFrame);
    for (let m = 0; m < down; m += 1) {
      rows.read(m);
      kernel.takeMcuRow(m);
      for (let at = kernel.nextPixelRow(); at !== 0; at = kernel.nextPixelRow()) {
        push(kernel.bytes.subarray(at, at + rowBytes));
      }
    }
  });
}

/** What the kernel is to make of the components. */
function pixelKind({ colorSpace }: JpegInspection): number {
  switch (colorSpace) {
    case 'grey':
      return 0;
    case 'ycbcr':
      return 1;
    case 'rgb':
      return 2;
    case 'cmyk':
    case 'ycck':
      throw new TypeError('inks have no pixels here');
  }
}
