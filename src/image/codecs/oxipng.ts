import { type PngRows, pngRowBytes } from '../png/row-bytes.ts';
import { runRust } from './rust.ts';
import module from './wasm/oxipng.wasm';

interface OxipngExports {
  optimise(
    returnPointer: number,
    pointer: number,
    length: number,
    level: number,
    interlace: boolean,
    optimiseAlpha: boolean,
  ): void;
}

export interface OxipngSettings {
  /** 0–6: how many filters and deflate efforts are tried. */
  readonly level: number;
  /** Hidden colours may be changed to compress better. */
  readonly optimiseAlpha: boolean;
}

interface PngSize {
  readonly width: number;
  readonly height: number;
}

type PngLayout = Omit<PngRows, keyof PngSize>;

/** What `pngEncoder` writes. */
const plainLayout: PngLayout = { colorType: 6, bitDepth: 8, interlaced: false };

/**
 * Lossless reduction of a PNG file: bit depth, palette, filters, deflate.
 * Not an encoder: it reads the file itself and never widens it to RGBA.
 */
export const oxipng = {
  /**
   * The arena, in bytes, for a file of this size and layout; without one, of
   * 8-bit RGBA as `pngEncoder` writes it.
   *
   * Measured with bench/codec-memory.ts: tables of several deflate compressors,
   * then a multiple of the unpacked rows: the picture, its reductions, each
   * filter's trial and their deflated forms; an Adam7 file once more in rows.
   */
  arenaBytes({ width, height }: PngSize, layout: PngLayout = plainLayout): number {
    const { colorType, bitDepth, interlaced } = layout;
    const rowBytes = pngRowBytes({ width, height, colorType, bitDepth, interlaced: false });
    const factor = colorType === 3 && bitDepth === 8 ? 14.4 : bitDepth === 16 ? 10.1 : 11.4;
    // packed samples are also tried with a byte each
    const unpacked = bitDepth < 8 ? 8.5 * width * height : 0;
    return 11_750_000 + unpacked + (factor + (interlaced ? 1.1 : 0)) * rowBytes;
  },
  optimise(file: Uint8Array, { level, optimiseAlpha }: OxipngSettings): Uint8Array<ArrayBuffer> {
    return runRust<OxipngExports, Uint8Array<ArrayBuffer>>('oxipng', module, {}, (run) =>
      run.vector((answer) => {
        const { pointer, length } = run.put(file);
        run.exports.optimise(answer, pointer, length, level, false, optimiseAlpha);
      }),
    );
  },
};
