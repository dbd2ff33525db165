import encoderGlue, { type EncodeOptions } from '@jsquash/avif/codec/enc/avif_enc.js';
import { freeMemory } from '../../container/workspace.ts';
import { bytesPerRasterPixel, type PictureShape } from '../../pixels/raster.ts';
import { codec } from '../../wasm/codec.ts';
import { type EmscriptenEncoder, emscripten } from '../../wasm/emscripten.ts';
import encoderModule from '../../wasm/modules/avif-encode.wasm';
import { type Encoder, usualSpeed } from '../coding.ts';
import { encodingBytes } from './memory.ts';
import { type AvifSettings, libaomSpeed } from './settings.ts';

const encoder = codec<EmscriptenEncoder<AvifOptions>>(
  'avif-encode',
  emscripten(encoderGlue, () => encoderModule),
);

/** The binding has an option that is missing in its published type. */
type AvifOptions = Omit<EncodeOptions, 'tune'> & { tune: number; lossless: boolean };

/** libavif with libaom. */
export const avifEncoder: Encoder<AvifSettings> = {
  arenaBytes: encodingBytes,
  encode: (
    { data, width, height },
    { quality, fullChroma = false, speed = usualSpeed, isDrawn = false },
  ) =>
    encoder.run((api) =>
      api.encode(new Uint8Array(data.buffer, data.byteOffset, data.length), width, height, {
        ...defaults,
        ...optionsFor(isDrawn),
        speed: libaomSpeed[speed],
        ...(quality === 'lossless'
          ? { quality: 100, lossless: true, subsample: chroma444 }
          : { quality, lossless: false, subsample: fullChroma ? chroma444 : chroma420 }),
      }),
    ),
};

/** Encodes a white single-plane picture: the alpha of an opaque picture. */
export function encodedWhite({
  width,
  height,
}: Pick<PictureShape, 'width' | 'height'>): Uint8Array<ArrayBuffer> {
  const white = new Uint8Array(bytesPerRasterPixel * width * height).fill(255);
  const settings = { ...defaults, speed: fastest, quality: 100, lossless: false, subsample: grey };
  try {
    return encoder.run((api) => api.encode(white, width, height, settings));
  } finally {
    freeMemory(white);
  }
}

/** Options that scripts/build-codecs.ts has reassigned; lossless coding always searches for copies. */
function optionsFor(isDrawn: boolean): Pick<AvifOptions, 'denoiseLevel' | 'chromaDeltaQ'> {
  const [copies, matrices] = [isDrawn, !isDrawn];
  return { denoiseLevel: copies ? 1 : 0, chromaDeltaQ: matrices };
}

const grey = 0;
const chroma420 = 1;
const chroma444 = 3;

const fastest = 10;

const defaults: Omit<AvifOptions, 'quality' | 'lossless' | 'subsample' | 'speed'> = {
  /** −1: same quality as color. */
  qualityAlpha: -1,
  denoiseLevel: 0,
  tileRowsLog2: 0,
  tileColsLog2: 0,
  chromaDeltaQ: false,
  sharpness: 0,
  enableSharpYUV: false,
  tune: 0,
  bitDepth: 8,
};
