import type { Factors } from '../../../../../support/jpeg-maker/content.ts';
import { compiledKernel } from '../../../../../support/kernels.ts';
import { Random } from '../../../../../support/random.ts';

const source = 0;
export const coded = 1;

export const grey: Factors = [[1, 1]];
export const full: Factors = [
  [1, 1],
  [1, 1],
];
export const quartered: Factors = [
  [2, 2],
  [1, 1],
];
export const halvedAcross: Factors = [
  [2, 1],
  [1, 1],
];

/** A source with the same `fine` step everywhere, and a result with `coarse` ones. */
interface Setup {
  readonly width: number;
  readonly height: number;
  readonly from: Factors;
  readonly to: Factors;
  readonly fine: number;
  readonly coarse: number;
}

/** From rows of the source to rows that are coded. */
export interface RequantizerKernel {
  readonly memory: WebAssembly.Memory;
  beginMemory(): void;
  allocate(bytes: number): number;
  room(): number;
  setFrame(frame: number, width: number, height: number, count: number): void;
  setSampling(frame: number, c: number, horizontal: number, vertical: number): void;
  beginFrame(frame: number): void;
  blocksAcross(frame: number, c: number): number;
  blocksDown(frame: number, c: number): number;
  quantizationTable(frame: number, c: number): number;
  allocateRows(frame: number): number;
  blockRow(frame: number, c: number, y: number): number;
  allocateRequantizer(): number;
  beginRequantizer(): void;
  restartRequantizer(): void;
  takeSourceRow(c: number, y: number): number;
  codedRow(c: number, y: number): number;
  halveRow(c: number, y: number): number;
  halvedRow(c: number): number;
  discardedEnergy(c: number): number;
}

const module = await compiledKernel('jpeg', [
  '../../../wasm/assembly/memory.ts',
  'frame.ts',
  'frame.ts',
  'requantizer.ts',
  'chroma-halving.ts',
]);

/** A kernel that has begun to requantize. */
export function begin({ width, height, from, to, fine, coarse }: Setup): RequantizerKernel {
  const memory = new WebAssembly.Memory({ initial: 64 });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const kernel: RequantizerKernel = { ...(exports as unknown as RequantizerKernel), memory };
  kernel.beginMemory();
  for (const [frame, sampling, step] of [
    [source, from, fine],
    [coded, to, coarse],
  ] as const) {
    kernel.setFrame(frame, width, height, sampling.length);
    for (const [c, [horizontal, vertical]] of sampling.entries()) {
      kernel.setSampling(frame, c, horizontal, vertical);
      new Uint16Array(memory.buffer, kernel.quantizationTable(frame, c), 64).fill(step);
    }
    kernel.beginFrame(frame);
    kernel.allocateRows(frame);
  }
  if (!kernel.allocateRequantizer()) throw new Error('no room');
  kernel.beginRequantizer();
  return kernel;
}

/** A row of the source's blocks without coefficients. */
export function emptyRow(kernel: RequantizerKernel, c: number): Int16Array {
  return new Int16Array(64 * kernel.blocksAcross(source, c));
}

/** A row of blocks whose coefficients fall off as those of photographs do. */
export function photo(kernel: RequantizerKernel, c: number, seed: number): Int16Array {
  const random = new Random(seed);
  return emptyRow(kernel, c).map((_, i) => {
    const k = i % 64;
    const spread = k === 0 ? 200 : 80 / (1 + 0.3 * k);
    return Math.round(spread * Math.log(random.unit() + 1e-3) * (random.unit() < 0.5 ? -0.5 : 0.5));
  });
}

/** Puts a row of blocks where the reader would. All frames here have one in a row of MCUs. */
export function put(kernel: RequantizerKernel, c: number, blocks: Int16Array): void {
  new Int16Array(kernel.memory.buffer).set(blocks, kernel.blockRow(source, c, 0) >> 1);
}
