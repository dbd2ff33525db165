import decoderGlue from '@jsquash/avif/codec/dec/avif_dec.js';
import type { Raster } from '../../src/image/pixels/raster.ts';
import { arena } from '../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../src/image/wasm/budgets.ts';
import { codec } from '../../src/image/wasm/codec.ts';
import decoderModule from '../../src/image/wasm/modules/libavif-decode.wasm';
import { emscripten } from './emscripten.ts';
import './image-data.ts';

const decoder = codec<{ decode(file: Uint8Array, bitDepth: number): Raster | null }>(
  'libavif-decode',
  emscripten(decoderGlue, () => decoderModule),
);

/**
 * The pixels that libavif with libaom reads in a file, strict as it is.
 * @throws CodecError if it refuses the file
 */
export function libavifPixels(file: Uint8Array): Raster {
  arena.reserve(arenaCeiling);
  return decoder.run((api) => api.decode(file, 8));
}
