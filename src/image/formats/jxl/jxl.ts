import type { PictureShape } from '../../pixels/raster.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import type { Slices } from '../../slices.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { Coding, EncodingRun, RowEncoder } from '../coding.ts';
import type { Format, Writer } from '../format.ts';
import { CodedRows } from '../jpeg/code-picture.ts';
import { PixelCoefficients } from '../jpeg/encode.ts';
import { maxJpegBytes } from '../jpeg/memory.ts';
import { targetScale, targetTables } from '../jpeg/quantization-tables.ts';
import {
  type JpegSettings,
  lumaPerChroma,
  pixelSamplings,
  type Sampling,
} from '../jpeg/sampling.ts';
import { type Coded, codePicture } from './code-picture.ts';
import { jxlFacts } from './facts.ts';
import { type JxlKernel, runJxlKernel } from './kernel.ts';
import { jxlEncodingBytes } from './memory.ts';
import { jxlEncodingMs, jxlObstacle, jxlRecoder } from './transcode.ts';

const write: Writer = {
  /** A picture that exceeds the memory of a photo is read again instead of being kept. */
  encoders: (shape, coding) => [false, true].map((lowMemory) => encoder(shape, coding, lowMemory)),
  transcoding: { recoder: jxlRecoder, obstacle: jxlObstacle },
  // Photos of twelve cameras took 0.77 to 0.9 of the JPEG with the same coefficients.
  trialForm: { type: 'jpeg', bytesShare: 0.86, asTranscoded: true },
};

function encoder(
  shape: PictureShape,
  { quality, grey, icc }: Coding,
  lowMemory: boolean,
): RowEncoder {
  if (quality === 'lossless') throw new RangeError('pixels have no lossless JPEG XL here');
  const settings = { quality, grey, lowMemory };
  const { expected, max, result } = jxlEncodingBytes(shape, settings, icc?.length ?? 0);
  return {
    photoBytes: expected,
    maxBytes: lowMemory ? max : expected,
    bufferBytes: result,
    maxBufferBytes: maxJpegBytes(shape, settings),
    // A pass that runs out of memory, one that counts, and one that writes.
    runs: lowMemory ? 3 : 1,
    cpuMs: (detail) => jxlEncodingMs(shape, settings, detail),
    *encode(rows, run) {
      return { parts: yield* encodeJxlRows(rows, settings, run), quality };
    },
  };
}

/** JPEG XL (ISO/IEC 18181), made from JPEG coefficients. */
export const jxl = { facts: jxlFacts, write } as const satisfies Format;

/**
 * Encodes rows of pixels as JPEG XL, with the coefficients of a JPEG of the same quality. With little memory, rows are
 * read again instead of keeping coefficients.
 *
 * @returns the file in parts, one of which lies in its arena
 * @throws CodecError if it takes more memory than is available; also whatever reading the rows throws
 */
function* encodeJxlRows(
  rows: RowSource,
  settings: JpegSettings,
  run: EncodingRun,
): Slices<readonly Uint8Array[]> {
  for (const sampling of pixelSamplings(settings)) {
    const coded = yield* runJxlKernel(
      new Uint8Array(),
      (kernel) => encodePicture(kernel, rows, sampling, settings, run),
      run.memory,
    );
    if (coded.kind === 'coded') return coded.parts;
    if (coded.kind !== 'too-colorful') throw new CodecError('jxl kernel', false, coded.kind);
  }
  throw new CodecError('jxl kernel', false, 'no sampling does');
}

function* encodePicture(
  kernel: JxlKernel,
  rows: RowSource,
  sampling: readonly Sampling[],
  { quality, grey, lowMemory = false }: JpegSettings,
  { appearance, maxBytes }: EncodingRun,
): Slices<Coded> {
  const { width, height } = rows;
  const shape = { width, height, sampling };
  const source = new PixelCoefficients(kernel, rows, grey ? 1 : 3);
  const chroma = grey ? null : lumaPerChroma(sampling);
  const tables = targetTables(targetScale(quality), source.quantization, chroma);
  return yield* codePicture(kernel, new CodedRows(kernel, source, shape, tables), shape, {
    appearance,
    orientation: 1,
    isRequantized: true,
    maxBytes,
    mayStream: lowMemory,
  });
}
