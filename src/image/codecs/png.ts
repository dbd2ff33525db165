import type { Encoder, PictureShape } from './codec.ts';
import { runRust } from './rust.ts';
import module from './wasm/png.wasm';

interface PngExports {
  encode(
    returnPointer: number,
    pointer: number,
    length: number,
    width: number,
    height: number,
    bitDepth: number,
  ): void;
}

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

/** Imports that only functions of the build call that are not used here. */
const unused = {
  __wbindgen_memory: () => 0,
  __wbg_buffer_a448f833075b71ba: () => 0,
  __wbg_newwithbyteoffsetandlength_099217381c451830: () => 0,
  __wbindgen_object_drop_ref: () => 0,
  __wbg_newwithownedu8clampedarrayandsh_91db5987993a08fb: () => 0,
};

/**
 * Measured with bench/codec-memory.ts: RGBA and, as big again where nothing
 * compresses, the deflated rows and the file; both grow by doubling, the old
 * block beside the new one.
 */
function encodingBytes({ width, height }: PictureShape): number {
  return 1_500_000 + 26 * width * height + 16 * width;
}
