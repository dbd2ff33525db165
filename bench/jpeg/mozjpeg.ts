import decoderGlue from '@jsquash/jpeg/codec/dec/mozjpeg_dec.js';
import decoder from '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm';
import encoderGlue from '@jsquash/jpeg/codec/enc/mozjpeg_enc.js';
import encoder from '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm';

/** Pixels as the package's decoder hands them over. */
class Pixels {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}
Object.assign(globalThis, { ImageData: Pixels });

interface Codec<Call> {
  readonly call: Call;
  readonly memory: WebAssembly.Memory;
}
type Decode = (file: Uint8Array, preserveOrientation: boolean) => Pixels;
type Encode = (data: Uint8ClampedArray, width: number, height: number, how: object) => Uint8Array;

const decoding = await linked<Decode>(decoderGlue, decoder, 'decode');
const encoding = await linked<Encode>(encoderGlue, encoder, 'encode');

/** @jsquash/jpeg as published, decoder and encoder, with its own settings but for the quality. */
export function byMozjpeg(file: Uint8Array, quality: number): Uint8Array {
  const { data, width, height } = decoding.call(file, false);
  return encoding.call(data, width, height, { ...defaults, quality });
}

/** WebAssembly memory and pixels that one picture takes with instances that have seen no other. */
export async function mozjpegMemory(file: Uint8Array, quality: number): Promise<number> {
  const first = await linked<Decode>(decoderGlue, decoder, 'decode');
  const second = await linked<Encode>(encoderGlue, encoder, 'encode');
  const { data, width, height } = first.call(file, false);
  second.call(data, width, height, { ...defaults, quality });
  return Math.max(first.memory.buffer.byteLength, second.memory.buffer.byteLength) + data.length;
}

/** Of @jsquash/jpeg/meta.js. */
const defaults = {
  baseline: false,
  arithmetic: false,
  progressive: true,
  optimize_coding: true,
  smoothing: 0,
  color_space: 3,
  quant_table: 3,
  trellis_multipass: false,
  trellis_opt_zero: false,
  trellis_opt_table: false,
  trellis_loops: 1,
  auto_subsample: true,
  chroma_subsample: 2,
  separate_chroma_quality: false,
  chroma_quality: 75,
};

/** Links one of the builds in a memory of its own. */
async function linked<Call>(glue: unknown, module: WebAssembly.Module, name: string) {
  let memory: WebAssembly.Memory | undefined;
  const factory = glue as (options: object) => Promise<Record<string, Call>>;
  const functions = await factory({
    noInitialRun: true,
    instantiateWasm(imports: WebAssembly.Imports, receive: (linked: object) => void) {
      const instance = new WebAssembly.Instance(module, imports);
      memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
      receive(instance);
      return instance.exports;
    },
  });
  const call = functions[name];
  if (!call || !memory) throw new Error(`@jsquash/jpeg has no ${name}`);
  return { call, memory } satisfies Codec<Call>;
}
