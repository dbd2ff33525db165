import type { Raster } from '../raster.ts';
import type { Decoder, Encoder } from './codec.ts';
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
  arenaBytes: () => 0,
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
  arenaBytes: () => 0,
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
