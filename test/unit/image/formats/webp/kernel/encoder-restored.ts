import { compiledKernel } from '../../../../../support/kernels.ts';
import type { Picture } from './libwebp-pictures.ts';
import type { Planes } from './lossy-planes.ts';

interface EncoderKernel {
  beginMemory(): void;
  taken(): number;
  allocateLossyEncoder(width: number, height: number, hasAlpha: number, keeps: number): number;
  setFrameSegment(i: number, quantizer: number, level: number): void;
  setFrameDeltas(...deltas: number[]): void;
  setFrameFilter(isSimple: number, sharpness: number): void;
  prepareQuantizers(): void;
  beginLossyRun(mode: number): void;
  inputRow(): number;
  takeLossyRow(): number;
  encodeMacroblocks(): number;
  finishEntropy(): number;
  readonly unfinished: WebAssembly.Global;
  isExhausted(): number;
  firstCodedPiece(string: number): number;
  nextPiece(piece: number): number;
  codedLength(string: number): number;
  readonly pieceBytes: WebAssembly.Global;
  readonly firstPartition: WebAssembly.Global;
  readonly tokenPartition: WebAssembly.Global;
  readonly frameHead: WebAssembly.Global;
  readonly luma: WebAssembly.Global;
  readonly chromaU: WebAssembly.Global;
  readonly chromaV: WebAssembly.Global;
  readonly lumaStride: WebAssembly.Global;
  readonly chromaStride: WebAssembly.Global;
}

const module = await compiledKernel('webp', [
  '../../../wasm/assembly/memory.ts',
  'pieces.ts',
  'vp8/sample-rows.ts',
  'vp8-encoder/bool-encoder.ts',
  'vp8-encoder/entropy.ts',
  'vp8-encoder/first-partition.ts',
  'vp8-encoder/picture.ts',
  'vp8-encoder/source-rows.ts',
]);
const memory = new WebAssembly.Memory({ initial: 160 });
const bytes = new Uint8Array(memory.buffer);
let written = 0;

/** What the encoder made of a picture. */
export interface Restored {
  /** The data of a `VP8 ` chunk. */
  readonly frame: Buffer;
  /** The samples that it has predicted from, which a decoder that does not filter must come to. */
  readonly planes: Planes;
}

/** Codes opaque pixels without a loop filter, with the quantizer indices of the four segments. */
export function restored(
  { width, height, data }: Picture,
  quantizers: readonly number[],
  deltas: readonly number[] = [0, 0, 0, 0, 0],
): Restored {
  bytes.fill(0, 0, written);
  const { exports } = new WebAssembly.Instance(module, {
    env: { memory },
    'file-window': { readFile: () => 0 },
  });
  const kernel = exports as unknown as EncoderKernel;
  kernel.beginMemory();
  if (kernel.allocateLossyEncoder(width, height, 0, 0) === 0) throw new Error('there is no room');
  for (const [i, index] of quantizers.entries()) kernel.setFrameSegment(i, index, 0);
  kernel.setFrameDeltas(...deltas);
  kernel.setFrameFilter(0, 0);
  kernel.prepareQuantizers();
  kernel.beginLossyRun(0);
  const planes: Planes = { y: [], u: [], v: [] };
  let coded = 0;
  for (let y = 0; y < height; y++) {
    bytes.set(data.subarray(y * width * 4, (y + 1) * width * 4), kernel.inputRow());
    for (let isLeft = kernel.takeLossyRow(); isLeft; coded++) {
      isLeft = kernel.encodeMacroblocks();
      copyRow(kernel, planes, width, height - 16 * coded);
    }
  }
  let status = kernel.finishEntropy();
  while (status === kernel.unfinished.value) status = kernel.finishEntropy();
  if (status !== 0 || kernel.isExhausted()) throw new Error(`coding ended with ${status}`);
  const head = Number(kernel.frameHead.value);
  const strings = [kernel.firstPartition, kernel.tokenPartition].map(({ value }) =>
    stringOf(kernel, Number(value)),
  );
  written = kernel.taken();
  return { frame: Buffer.concat([bytes.subarray(head, head + 10), ...strings]), planes };
}

/** Copies what a row of macroblocks holds of the picture. */
function copyRow(kernel: EncoderKernel, { y, u, v }: Planes, width: number, left: number): void {
  const copy = (plane: Uint8Array[], from: unknown, by: unknown, columns: number, rows: number) => {
    for (let row = 0; row < rows; row++) {
      const at = Number(from) + row * Number(by);
      plane.push(bytes.slice(at, at + columns));
    }
  };
  const rows = Math.min(16, left);
  const half = (width + 1) >> 1;
  copy(y, kernel.luma.value, kernel.lumaStride.value, width, rows);
  copy(u, kernel.chromaU.value, kernel.chromaStride.value, half, (rows + 1) >> 1);
  copy(v, kernel.chromaV.value, kernel.chromaStride.value, half, (rows + 1) >> 1);
}

function stringOf(kernel: EncoderKernel, string: number): Buffer {
  const pieces: Uint8Array[] = [];
  for (let at = kernel.firstCodedPiece(string); at !== 0; at = kernel.nextPiece(at)) {
    pieces.push(bytes.subarray(at, at + Number(kernel.pieceBytes.value)));
  }
  return Buffer.concat(pieces).subarray(0, kernel.codedLength(string));
}
