import type { PictureShape } from '../../pixels/raster.ts';
import type { Coding, RowEncoder } from '../coding.ts';
import type { Format, Writer } from '../format.ts';
import { maxJpegBytes } from '../jpeg/memory.ts';
import { jxlEncodingMs } from './cpu.ts';
import { encodeJxlRows } from './encode.ts';
import { jxlFacts } from './facts.ts';
import { jxlEncodingBytes } from './memory.ts';
import { jxlObstacle, jxlRecoder } from './transcode.ts';

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
    encode: (rows, run) => ({ parts: encodeJxlRows(rows, settings, run), quality }),
  };
}

/** JPEG XL (ISO/IEC 18181), made from JPEG coefficients. */
export const jxl = { facts: jxlFacts, write } as const satisfies Format;
