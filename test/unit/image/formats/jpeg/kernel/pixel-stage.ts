import { expect } from 'vitest';
import { compiledKernel } from '../../../../../support/kernels.ts';
import type { Coefficients } from './made-coefficients.ts';

interface Kernel {
  readonly memory: WebAssembly.Memory;
  beginMemory(): void;
  setFrame(frame: number, width: number, height: number, count: number): void;
  setSampling(frame: number, c: number, horizontal: number, vertical: number): void;
  beginFrame(frame: number): void;
  quantizationTable(frame: number, c: number): number;
  allocateRows(frame: number): number;
  blockRow(frame: number, c: number, y: number): number;
  beginPixels(halvings: number, kind: number, asJxl: number): number;
  takeMcuRow(m: number): void;
  nextPixelRow(): number;
}

const source = 0;
export const kinds = { grey: 0, ycc: 1, rgb: 2 } as const;
export type Kind = keyof typeof kinds;

const module = await compiledKernel('jpeg', [
  'frame.ts',
  '../../../wasm/assembly/memory.ts',
  'pixel-rows.ts',
]);

/** A kernel that has the source's geometry and tables. */
export function begun(picture: Coefficients, pages = 64): Kernel {
  const memory = new WebAssembly.Memory({ initial: pages });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const kernel: Kernel = { ...(exports as unknown as Kernel), memory };
  kernel.beginMemory();
  kernel.setFrame(source, picture.width, picture.height, picture.components.length);
  for (const [c, { horizontal, vertical }] of picture.components.entries()) {
    kernel.setSampling(source, c, horizontal, vertical);
  }
  kernel.beginFrame(source);
  for (const [c, { steps }] of picture.components.entries()) {
    new Uint16Array(memory.buffer, kernel.quantizationTable(source, c), 64).set(steps);
  }
  expect(kernel.allocateRows(source)).toBe(1);
  return kernel;
}

/** The rows of pixels that come after each row of MCUs. */
export function rowsOf(
  picture: Coefficients,
  halvings: number,
  kind: Kind,
  asJxl = false,
): Buffer[][] {
  const kernel = begun(picture);
  expect(kernel.beginPixels(halvings, kinds[kind], Number(asJxl))).toBe(1);
  const bytes = 4 * Math.ceil(picture.width / 2 ** halvings);
  return Array.from({ length: mcusDown(picture) }, (_, m) => {
    for (const [c, component] of picture.components.entries()) {
      const { blocks, blocksAcross, vertical } = component;
      const length = 64 * blocksAcross * vertical;
      const rows = new Int16Array(kernel.memory.buffer, kernel.blockRow(source, c, 0), length);
      rows.set(blocks.subarray(m * length, (m + 1) * length));
    }
    kernel.takeMcuRow(m);
    const rows: Buffer[] = [];
    for (let at = kernel.nextPixelRow(); at !== 0; at = kernel.nextPixelRow()) {
      rows.push(Buffer.from(new Uint8Array(kernel.memory.buffer, at, bytes)));
    }
    return rows;
  });
}

/** All pixels, 4 bytes each. @param asJxl as decoders of JPEG XL show them */
export function rgba(picture: Coefficients, halvings: number, kind: Kind, asJxl = false): Buffer {
  return Buffer.concat(rowsOf(picture, halvings, kind, asJxl).flat());
}

function mcusDown({ components: [first] }: Coefficients): number {
  return first ? first.blocksDown / first.vertical : 0;
}
