import type { Pixels } from './quantized-pictures.ts';

/** Exports of the quantizer stage, compiled alone. */
interface QuantizerKernel {
  readonly memory: WebAssembly.Memory;
  beginMemory(): void;
  allocate(bytes: number): number;
  room(): number;
  taken(): number;
  beginQuantizer(width: number): number;
  countRow(rgba: number): void;
  choosePalette(most: number, targetError: number): number;
  continueChoosing(): number;
  paletteAt(): number;
  paletteError(): number;
  beginDithering(): void;
  ditherRow(rgba: number, indices: number): number;
  flushRows(indices: number): number;
  shownError(): number;
}

/** Source files of the stage. */
export const quantizerFiles = [
  '../../../wasm/assembly/memory.ts',
  'quantizer/quantizer.ts',
  'quantizer/color-table.ts',
  'quantizer/palette.ts',
  'quantizer/quantizer.ts',
  'quantizer/dithering.ts',
  'quantizer/dithering.ts',
] as const;

export interface Quantized {
  /** RGBA of the entries. */
  readonly palette: readonly (readonly number[])[];
  readonly indices: Uint8Array;
  readonly paletteError: number;
  readonly shownError: number;
}

export function linked(module: WebAssembly.Module, pages = 64): QuantizerKernel {
  const memory = new WebAssembly.Memory({ initial: pages });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const kernel: QuantizerKernel = { ...(exports as unknown as QuantizerKernel), memory };
  kernel.beginMemory();
  return kernel;
}

/** Runs both passes over a picture. */
export function quantized(
  kernel: QuantizerKernel,
  { width, height, data }: Pixels,
  most = 256,
  targetError = 0,
): Quantized {
  if (!kernel.beginQuantizer(width)) throw new Error('no room');
  const row = kernel.allocate(4 * width);
  const written = kernel.allocate(width);
  const bytes = new Uint8Array(kernel.memory.buffer);
  const put = (y: number) => bytes.set(data.subarray(4 * width * y, 4 * width * (y + 1)), row);
  for (let y = 0; y < height; y += 1) {
    put(y);
    kernel.countRow(row);
  }
  let count = kernel.choosePalette(most, targetError);
  // There is work to go on with.
  while (count < 0) count = kernel.continueChoosing();
  const colors = bytes.slice(kernel.paletteAt(), kernel.paletteAt() + 4 * count);
  const indices = new Uint8Array(width * height);
  let rows = 0;
  const take = (ready: number) => {
    if (ready) indices.set(bytes.subarray(written, written + width), width * rows);
    rows += ready;
  };
  kernel.beginDithering();
  for (let y = 0; y < height; y += 1) {
    put(y);
    take(kernel.ditherRow(row, written));
  }
  take(kernel.flushRows(written));
  if (rows !== height) throw new Error(`${rows} rows of ${height}`);
  return {
    palette: Array.from({ length: count }, (_, i) => [...colors.subarray(4 * i, 4 * i + 4)]),
    indices,
    paletteError: kernel.paletteError(),
    shownError: kernel.shownError(),
  };
}

/** The visible pixels. */
export function shown({ palette, indices }: Quantized): Uint8Array {
  return Uint8Array.from([...indices].flatMap((index) => palette[index] ?? []));
}
