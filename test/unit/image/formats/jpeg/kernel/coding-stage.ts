import { expect } from 'vitest';
import type { JpegScan } from '../../../../../support/jpeg-maker/content.ts';
import { compiledKernel } from '../../../../../support/kernels.ts';
import type { Picture } from './made-pictures.ts';

const source = 0;
export const coded = 1;

/** All that codes the rows of the coded frame. */
export interface CodingKernel {
  memory: WebAssembly.Memory;
  beginMemory(): void;
  allocate(bytes: number): number;
  room(): number;
  taken(): number;
  setFrame(frame: number, width: number, height: number, components: number): void;
  setSampling(frame: number, c: number, horizontal: number, vertical: number): void;
  beginFrame(frame: number): void;
  blocksAcross(frame: number, c: number): number;
  blocksDown(frame: number, c: number): number;
  mcusDown(frame: number): number;
  allocateRows(frame: number): number;
  blockRow(frame: number, c: number, y: number): number;
  allocatePlanes(): number;
  storeRow(c: number, y: number, blocks: number): number;
  beginCoding(): number;
  beginTokens(): number;
  beginPlaneTokens(): number;
  beginRowTokens(): number;
  keepRow(c: number, y: number, blocks: number): number;
  dropTokens(): void;
  codingFailure(): number;
  setScan(n: number, ...placesAndBand: number[]): void;
  setTableSlot(c: number, dc: number, ac: number): void;
  histogram(kind: number, slot: number): number;
  codes(kind: number, slot: number): number;
  rawBits(): number;
  scanMcusDown(): number;
  beginScan(writes: number): void;
  codeScanRow(y: number, isLone: boolean): number;
  codeMcuRow(m: number): number;
  endScan(): number;
  beginOutput(most: number): number;
  outputAt(): number;
  outputLength(): number;
  reserveOutput(length: number): number;
}

const module = await compiledKernel('jpeg', [
  '../../../wasm/assembly/memory.ts',
  'frame.ts',
  'frame.ts',
  'planes.ts',
  'tokens.ts',
  'coded-scan.ts',
  'symbols.ts',
  'bit-writer.ts',
  'bit-writer.ts',
  'scan-coding.ts',
]);

/** A kernel that knows the picture's frame, and has coded rows. */
export function begun({ width, height, samplings }: Picture): CodingKernel {
  const memory = new WebAssembly.Memory({ initial: 256 });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const kernel = { ...(exports as unknown as CodingKernel), memory };
  kernel.beginMemory();
  for (const frame of [source, coded]) {
    kernel.setFrame(frame, width, height, samplings.length);
    for (const [c, [h, v]] of samplings.entries()) kernel.setSampling(frame, c, h, v);
    kernel.beginFrame(frame);
  }
  expect(kernel.allocateRows(coded)).toBe(1);
  expect(kernel.beginCoding()).toBe(1);
  return kernel;
}

function writeBlocks(
  kernel: CodingKernel,
  to: number,
  picture: Picture,
  c: number,
  y: number,
): void {
  for (let x = 0; x < kernel.blocksAcross(coded, c); x += 1) {
    new Int16Array(kernel.memory.buffer, to + x * 128, 64).set(picture.block(c, x, y));
  }
}

function eachRow(
  kernel: CodingKernel,
  picture: Picture,
  work: (c: number, y: number) => void,
): void {
  for (const c of picture.samplings.keys()) {
    for (let y = 0; y < kernel.blocksDown(coded, c); y += 1) work(c, y);
  }
}

/** Keeps a picture as tokens. */
export function keep(kernel: CodingKernel, picture: Picture): CodingKernel {
  expect(kernel.beginTokens()).toBe(1);
  eachRow(kernel, picture, (c, y) => {
    const blocks = kernel.blockRow(coded, c, 0);
    writeBlocks(kernel, blocks, picture, c, y);
    expect(kernel.keepRow(c, y, blocks)).toBe(1);
  });
  return kernel;
}

/** Keeps a picture in the planes. */
export function putIntoPlanes(kernel: CodingKernel, picture: Picture): CodingKernel {
  expect(kernel.allocatePlanes()).toBe(1);
  eachRow(kernel, picture, (c, y) => {
    const blocks = kernel.blockRow(coded, c, 0);
    writeBlocks(kernel, blocks, picture, c, y);
    expect(kernel.storeRow(c, y, blocks)).toBe(1);
  });
  expect(kernel.beginPlaneTokens()).toBe(1);
  return kernel;
}

/** Codes a scan while the rows come by. */
export function streaming(picture: Picture): (kernel: CodingKernel, writes: boolean) => boolean {
  return (kernel, writes) => {
    kernel.beginScan(writes ? 1 : 0);
    for (let m = 0; m < kernel.mcusDown(coded); m += 1) {
      for (const [c, [, v]] of picture.samplings.entries()) {
        for (let y = 0; y < v && m * v + y < kernel.blocksDown(coded, c); y += 1) {
          writeBlocks(kernel, kernel.blockRow(coded, c, y), picture, c, m * v + y);
        }
      }
      expect(kernel.codeMcuRow(m)).toBe(1);
    }
    return kernel.endScan() === 1;
  };
}

/** Codes a scan out of rows that can be asked for, or a sample of its rows. */
export function atOnce(kernel: CodingKernel, writes: boolean, rowStep = 1): boolean {
  kernel.beginScan(writes ? 1 : 0);
  for (let y = 0; y < kernel.scanMcusDown(); y += rowStep) {
    if (!kernel.codeScanRow(y, rowStep > 1)) return false;
  }
  return kernel.endScan() === 1;
}

/** Chooses what is counted and written next; the first component has tables of its own. */
export function select(kernel: CodingKernel, { components, ss, se, ah, al }: JpegScan): void {
  const [c0 = 0, c1 = 0, c2 = 0, c3 = 0] = components;
  for (const c of components) kernel.setTableSlot(c, Math.min(c, 1), Math.min(c, 1));
  kernel.setScan(components.length, c0, c1, c2, c3, ss, se, ah, al);
}

/** How often each symbol has been counted. */
export function histogram(kernel: CodingKernel, kind: number, slot: number): Uint32Array {
  return new Uint32Array(kernel.memory.buffer, kernel.histogram(kind, slot), 256);
}

/** Those that have been counted at all. */
export function nonzero(counts: Uint32Array): Record<number, number> {
  return Object.fromEntries([...counts.entries()].filter(([, number]) => number > 0));
}
