import type { Inspection } from '../inspect/inspection.ts';
import type { Raster } from '../raster.ts';
import type { Decoder, Encoder, PictureShape } from './codec.ts';
import { arena } from './runtime.ts';
import { runRust } from './rust.ts';
import module from './wasm/png.wasm';

interface PngExports {
  decode(pointer: number, length: number): number;
  encode(
    returnPointer: number,
    pointer: number,
    length: number,
    width: number,
    height: number,
    bitDepth: number,
  ): void;
}

/** The Rust `png` crate: palette and grey become RGBA, 16 bits become 8. */
export const pngDecoder: Decoder = {
  arenaBytes: decodingBytes,
  decode(file) {
    const decoded: Raster[] = [];
    const imports = {
      ...unused,
      // `new ImageData(pixels, width, height)`: how the build hands over its result
      __wbg_newwithownedu8clampedarrayandsh_91db5987993a08fb(
        at = 0,
        length = 0,
        width = 0,
        height = 0,
      ) {
        const data = new Uint8ClampedArray(arena.memory.buffer, at >>> 0, length).slice();
        return decoded.push({ data, width, height });
      },
    };
    return runRust<PngExports, Raster>('png-decode', module, imports, ({ exports, put }) => {
      const { pointer, length } = put(file);
      exports.decode(pointer, length);
      const [raster] = decoded;
      if (!raster) throw new Error('no result');
      return raster;
    });
  },
};

/** Plain 8-bit RGBA, quickly; oxipng makes it small. */
export const pngEncoder: Encoder<null> = {
  arenaBytes: encodingBytes,
  encode({ data, width, height }) {
    return runRust<PngExports, Uint8Array<ArrayBuffer>>('png-encode', module, unused, (run) =>
      run.vector((answer) => {
        const { pointer, length } = run.put(data);
        run.exports.encode(answer, pointer, length, width, height, 8);
      }),
    );
  },
};

/** Imports that only the 16-bit functions of the build call. */
const unused = {
  __wbindgen_memory: () => 0,
  __wbg_buffer_a448f833075b71ba: () => 0,
  __wbg_newwithbyteoffsetandlength_099217381c451830: () => 0,
  __wbindgen_object_drop_ref: () => 0,
  __wbg_newwithownedu8clampedarrayandsh_91db5987993a08fb: () => 0,
};

/**
 * Measured with bench/codec-memory.ts: stack and data, the file, a few rows,
 * and the pixels as the crate hands them over, which then grow to RGBA: a Rust
 * vector grows to at least twice its size, and its old block stays until the
 * new one is filled (RGB 3 + 6, grey and alpha 2 + 4, grey 1 + 4).
 */
function decodingBytes(image: Inspection, fileBytes: number): number {
  if (image.type !== 'png') throw new TypeError('not a PNG');
  const { width, height, colorType, hasAlpha } = image;
  const isGrey = colorType === 0 || colorType === 4;
  const perPixel = isGrey ? (hasAlpha ? 6 : 5) : hasAlpha ? 4 : 9;
  return 2_000_000 + fileBytes + perPixel * width * height + 32 * width;
}

/**
 * Measured with bench/codec-memory.ts: RGBA and, as big again where nothing
 * compresses, the deflated rows and the file; both grow by doubling, the old
 * block beside the new one.
 */
function encodingBytes({ width, height }: PictureShape): number {
  return 1_500_000 + 26 * width * height + 16 * width;
}
