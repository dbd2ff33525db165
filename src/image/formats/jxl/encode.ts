import type { RowSource } from '../../pixels/row-source.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { EncodingRun } from '../coding.ts';
import { CodedRows } from '../jpeg/code-picture.ts';
import { PixelCoefficients } from '../jpeg/encode.ts';
import { targetScale, targetTables } from '../jpeg/quantization-tables.ts';
import {
  type JpegSettings,
  lumaPerChroma,
  pixelSamplings,
  type Sampling,
} from '../jpeg/sampling.ts';
import { type Coded, codePicture } from './code-picture.ts';
import { type JxlKernel, runJxlKernel } from './kernel.ts';

/**
 * Encodes rows of pixels as JPEG XL, with the coefficients of a JPEG of the same quality. With little memory, rows are
 * read again instead of keeping coefficients.
 *
 * @returns the file in parts, one of which lies in its arena
 * @throws CodecError if it takes more memory than is available; also whatever reading the rows throws
 */
export function encodeJxlRows(
  rows: RowSource,
  settings: JpegSettings,
  run: EncodingRun,
): readonly Uint8Array[] {
  for (const sampling of pixelSamplings(settings)) {
    const coded = runJxlKernel(
      new Uint8Array(),
      (kernel) => encodePicture(kernel, rows, sampling, settings, run),
      run.memory,
    );
    if (coded.kind === 'coded') return coded.parts;
    if (coded.kind !== 'too-colorful') throw new CodecError('jxl kernel', false, coded.kind);
  }
  throw new CodecError('jxl kernel', false, 'no sampling does');
}

function encodePicture(
  kernel: JxlKernel,
  rows: RowSource,
  sampling: readonly Sampling[],
  { quality, grey, lowMemory = false }: JpegSettings,
  { appearance, maxBytes }: EncodingRun,
): Coded {
  const { width, height } = rows;
  const shape = { width, height, sampling };
  const source = new PixelCoefficients(kernel, rows, grey ? 1 : 3);
  const chroma = grey ? null : lumaPerChroma(sampling);
  const tables = targetTables(targetScale(quality), source.quantization, chroma);
  return codePicture(kernel, new CodedRows(kernel, source, shape, tables), shape, {
    appearance,
    orientation: 1,
    isRequantized: true,
    maxBytes,
    mayStream: lowMemory,
  });
}
