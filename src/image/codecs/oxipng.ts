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

/**
 * Lossless reduction of a PNG file: bit depth, palette, filters, deflate.
 * Not an encoder: it reads the file itself and never widens it to RGBA.
 */
export const oxipng = {
  arenaBytes: (_image: { width: number; height: number }): number => 0,
  optimise(file: Uint8Array, { level, optimiseAlpha }: OxipngSettings): Uint8Array<ArrayBuffer> {
    return runRust<OxipngExports, Uint8Array<ArrayBuffer>>('oxipng', module, {}, (run) =>
      run.vector((answer) => {
        const { pointer, length } = run.put(file);
        run.exports.optimise(answer, pointer, length, level, false, optimiseAlpha);
      }),
    );
  },
};
