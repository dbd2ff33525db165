import type { Raster } from '../../pixels/raster.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { Encoder } from '../format.ts';
import { type Coded, CodedRows, type CoefficientRows, codePicture } from './code-picture.ts';
import {
  type JpegKernel,
  runJpegKernel,
  setFrameGeometry,
  setQuantization,
  sourceFrame,
} from './kernel.ts';
import { allocatePixelBlocks, jpegEncodingBytes, maxJpegBytes } from './memory.ts';
import { targetScale, targetTables } from './quantization-tables.ts';
import {
  type JpegSettings,
  lumaPerChroma,
  pixelSampling,
  pixelSamplings,
  type Sampling,
} from './sampling.ts';
import { marker } from './segments.ts';

/**
 * JPEG from pixels: quantization by rate and distortion, chroma halved where that is not missed,
 * progressive or sequential by whatever is shorter. With little memory coefficients are made again
 * for each scan, which then is a sequential one, instead of being kept.
 */
export const jpegEncoder: Encoder<JpegSettings> = {
  arenaBytes: (shape, settings) => jpegEncodingBytes(shape, settings).max,
  encode(raster, settings) {
    for (const sampling of pixelSamplings(settings)) {
      const bytes = encoded(raster, settings, sampling);
      if (bytes) return bytes;
    }
    throw new CodecError('jpeg kernel', false, 'no sampling does');
  },
};

/** Null where halving chroma would lose what can be seen. */
function encoded(
  raster: Raster,
  settings: JpegSettings,
  sampling: ReturnType<typeof pixelSamplings>[number],
): Uint8Array<ArrayBuffer> | null {
  return runJpegKernel(new Uint8Array(), (kernel) => {
    const coded = encodeJpeg(kernel, raster, settings, sampling);
    if (coded.kind === 'too-colorful') return null;
    if (coded.kind === 'coded') return coded.bytes.slice();
    // noise has been allowed for, so that too long is what the arena has no room for
    throw new CodecError('jpeg kernel', coded.kind === 'too-long', coded.kind);
  });
}

/**
 * Codes pixels, alpha left aside, as a JPEG of grey or YCbCr.
 *
 * @param sampling of each component: one, or three
 * @throws CodecError where it takes more memory than there is
 */
export function encodeJpeg(
  kernel: JpegKernel,
  raster: Raster,
  settings: JpegSettings,
  sampling: readonly Sampling[],
): Coded {
  const { width, height } = raster;
  const { quality, grey, lowMemory = false } = settings;
  const source = new PixelCoefficients(kernel, raster, grey ? 1 : 3);
  const picture = { width, height, sampling, ids: [1, 2, 3], isYcc: !grey };
  const tables = targetTables(
    targetScale(quality),
    source.quantization,
    grey ? null : lumaPerChroma(sampling),
  );
  const rows = new CodedRows(kernel, source, picture, tables);
  const maxBytes = Math.ceil(maxJpegBytes(raster, settings));
  return codePicture(kernel, rows, picture, { head, maxBytes, mayStream: lowMemory });
}

/** SOI and JFIF 1.01 with pixels that are square and no thumbnail (ITU-T T.871 §10.1). */
const head = Uint8Array.of(
  ...[0xff, marker.soi, 0xff, marker.app0, 0, 16],
  ...[0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0],
);

const rowsInBlock = 8;

/**
 * The coefficients of a raster: YCbCr with a sample of each component for each pixel, or grey, with
 * steps of 1 that the kernel counts in eighths. The raster stays in JavaScript; eight rows of it at a
 * time are copied into the kernel.
 */
class PixelCoefficients implements CoefficientRows {
  readonly quantization: readonly Uint16Array[];
  readonly areGathered = false;
  readonly #kernel: JpegKernel;
  readonly #raster: Raster;

  /** @param components 3, or 1 for a grey picture, of which red is read */
  constructor(kernel: JpegKernel, raster: Raster, components: 1 | 3) {
    this.#kernel = kernel;
    this.#raster = raster;
    const { width, height } = raster;
    const sampling = pixelSampling(components);
    this.quantization = sampling.map(() => new Uint16Array(64).fill(1));
    setFrameGeometry(kernel, sourceFrame, { width, height, sampling });
    setQuantization(kernel, sourceFrame, this.quantization);
  }

  /** @throws CodecError where it takes more memory than there is */
  begin(): void {
    allocatePixelBlocks(this.#kernel);
  }

  rewind(): void {}

  read(m: number): void {
    const { width, height, data } = this.#raster;
    const kernel = this.#kernel;
    const first = m * rowsInBlock;
    const count = Math.min(rowsInBlock, height - first);
    for (let y = 0; y < count; y += 1) {
      const from = 4 * width * (first + y);
      kernel.bytes.set(data.subarray(from, from + 4 * width), kernel.pixelRow(y));
    }
    kernel.takePixelRows(count);
  }
}
