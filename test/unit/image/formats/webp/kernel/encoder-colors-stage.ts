import { compiledKernel } from '../../../../../support/kernels.ts';
import type { Picture } from './libwebp-pictures.ts';

interface ColorsKernel {
  beginMemory(): void;
  beginCounting(): void;
  counted(): number;
  taken(): number;
  allocateSourceRows(width: number, height: number, hasAlpha: number, keepsHidden: number): number;
  beginSourceRows(): void;
  inputRow(): number;
  takeInputRow(): number;
  sourceLuma(m: number): number;
  sourceU(m: number): number;
  sourceV(m: number): number;
  colorfulBlocks(): number;
  readonly sourceLumaStride: WebAssembly.Global;
  readonly sourceChromaStride: WebAssembly.Global;
}

const module = await compiledKernel('webp', [
  '../../../wasm/assembly/memory.ts',
  'vp8-encoder/luma-fitting.ts',
  'vp8-encoder/source-rows.ts',
]);
const memory = new WebAssembly.Memory({ initial: 160 });
const bytes = new Uint8Array(memory.buffer);

/** Behind what the last run has written. */
let written = 0;

/** Links the stage again, in memory of zeros. */
function linked(): ColorsKernel {
  bytes.fill(0, 0, written);
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as ColorsKernel;
}

/** A plane of samples, whole macroblocks of them. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

export interface Coded {
  readonly luma: Plane;
  readonly u: Plane;
  readonly v: Plane;
  readonly colorful: number;
  /** What `takeInputRow` said, row by row. */
  readonly complete: readonly number[];
  readonly taken: number;
  readonly counted: number;
}

/** Turns pixels into samples, and reads each row of macroblocks as soon as it is complete. */
export function codedColors(
  { width, height, data }: Picture,
  { hasAlpha = false, keepsHidden = false, runs = 1 } = {},
): Coded {
  const kernel = linked();
  const sizes = [width, height, Number(hasAlpha), Number(keepsHidden)] as const;
  kernel.beginCounting();
  kernel.allocateSourceRows(...sizes);
  const counted = kernel.counted();
  kernel.beginMemory();
  if (kernel.allocateSourceRows(...sizes) === 0) throw new Error('there is no room');
  const across = (width + 15) >> 4;
  const down = (height + 15) >> 4;
  const luma = plane(across * 16, down * 16);
  const u = plane(across * 8, down * 8);
  const v = plane(across * 8, down * 8);
  let complete: number[] = [];
  for (let run = 1; run <= runs; run++) {
    const end = run < runs ? (height >> 1) + 1 : height;
    kernel.beginSourceRows();
    complete = [];
    let read = 0;
    for (let y = 0; y < end; y++) {
      bytes.set(data.subarray(y * width * 4, (y + 1) * width * 4), kernel.inputRow());
      const count = kernel.takeInputRow();
      complete.push(count);
      for (; read < count; read++) {
        copy(luma, kernel.sourceLuma(read), Number(kernel.sourceLumaStride.value), read, 16);
        copy(u, kernel.sourceU(read), Number(kernel.sourceChromaStride.value), read, 8);
        copy(v, kernel.sourceV(read), Number(kernel.sourceChromaStride.value), read, 8);
      }
    }
  }
  const colorful = kernel.colorfulBlocks();
  written = kernel.taken();
  return { luma, u, v, colorful, complete, taken: written, counted };
}

function plane(width: number, height: number): Plane {
  return { width, height, data: new Uint8Array(width * height) };
}

function copy({ width, data }: Plane, from: number, stride: number, m: number, rows: number): void {
  for (let y = 0; y < rows; y++) {
    const at = from + y * stride;
    data.set(bytes.subarray(at, at + width), (m * rows + y) * width);
  }
}
