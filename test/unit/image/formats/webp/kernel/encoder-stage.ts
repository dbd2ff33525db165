import { compiledKernel } from '../../../../../support/kernels.ts';
import type { Picture } from './libwebp-pictures.ts';

interface EncoderKernel {
  beginMemory(): void;
  limitMemory(bytes: number): void;
  beginCounting(): void;
  counted(): number;
  taken(): number;
  allocate(bytes: number): number;
  beginPieces(): void;
  nextPiece(piece: number): number;
  readonly pieceBytes: WebAssembly.Global;
  allocateSurvey(width: number, height: number): number;
  beginSurvey(keepsHidden: number): void;
  surveyRow(rgba: number): void;
  surveyAlphaRow(rgba: number): void;
  surveyedTransforms(): number;
  triedTransforms(width: number, keepsHidden: number): number;
  allocateLosslessPicture(width: number, height: number, transforms: number): number;
  beginLosslessPicture(keepsHidden: number): void;
  takeLosslessRow(rgba: number): void;
  endLosslessRows(): void;
  encodeOn(): number;
  readonly undecided: WebAssembly.Global;
  finishLosslessPicture(): number;
  losslessBytes(): number;
  allocateAlphaPlane(width: number, height: number, transforms: number): number;
  beginAlphaPlane(): void;
  takeAlphaRow(rgba: number): void;
  endAlphaRows(): void;
  finishAlphaPlane(): number;
  alphaPlaneBytes(): number;
}

const module = await compiledKernel('webp', [
  '../../../wasm/assembly/memory.ts',
  'pieces.ts',
  'vp8l-encoder/picture.ts',
  'vp8l-encoder/coder.ts',
  'vp8l-encoder/survey.ts',
  'alpha/encoder.ts',
]);

/** What is done to all pixels (kernel/vp8l-encoder/survey.ts). */
export const transforms = {
  direct: 0,
  withoutGreen: 1,
  predictive: 2,
  predictiveWithoutGreen: 3,
  indexed: 4,
} as const;

const pages = 640;
const memory = new WebAssembly.Memory({ initial: pages });
let last: EncoderKernel | undefined;

type Linked = EncoderKernel & { readonly bytes: Uint8Array };

/** Links the stage in memory of zeros. */
function linked(): Linked {
  new Uint8Array(memory.buffer).fill(0, 0, last?.taken());
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const kernel = exports as unknown as EncoderKernel;
  kernel.beginMemory();
  last = kernel;
  return { ...kernel, bytes: new Uint8Array(memory.buffer) };
}

const { exports: countingExports } = new WebAssembly.Instance(module, {
  env: { memory: new WebAssembly.Memory({ initial: 8 }) },
});
const counting = countingExports as unknown as EncoderKernel;

/** What came of coding. */
export interface Coded {
  /** Data of the chunk; null if there was no room. */
  readonly data: Buffer | null;
  /** What was done to all pixels. */
  readonly kind: number;
  /** Bytes that were taken without the result, and bytes that were predicted. */
  readonly taken: number;
  readonly counted: number;
}

export interface CodingOptions {
  readonly keepsHidden?: boolean;
  /** In place of what the survey says, but for a palette. */
  readonly kind?: number;
  /** Bytes that may be taken. */
  readonly limit?: number;
  /** Runs through the picture, of which all but the last stop halfway. */
  readonly runs?: number;
}

/** The data of a VP8L chunk. */
export function codedLossless(picture: Picture, options: CodingOptions = {}): Coded {
  const { width, height } = picture;
  const { keepsHidden = true, limit } = options;
  const kernel = linked();
  if (limit !== undefined) kernel.limitMemory(limit);
  const row = kernel.allocate(4 * width + 16);
  const hidden = keepsHidden ? 1 : 0;
  if (!kernel.allocateSurvey(width, height)) return { data: null, kind: -1, taken: 0, counted: 0 };
  kernel.beginSurvey(hidden);
  forRows(picture, kernel, row, () => kernel.surveyRow(row));
  const kind = options.kind ?? triedTransforms(kernel, width, hidden);
  const isAllocated = kernel.allocateLosslessPicture(width, height, kind);
  const sizes = { kind, taken: kernel.taken(), counted: countedLossless(width, height, kind) };
  if (!isAllocated) return { ...sizes, data: null };
  for (let run = options.runs ?? 1; run > 0; run--) {
    kernel.beginLosslessPicture(hidden);
    const rows = run > 1 ? height >> 1 : height;
    forRows({ ...picture, height: rows }, kernel, row, () => {
      kernel.takeLosslessRow(row);
      encodeAtOnce(kernel);
    });
  }
  kernel.endLosslessRows();
  encodeAtOnce(kernel);
  const piece = kernel.finishLosslessPicture();
  return { ...sizes, data: gathered(kernel, piece, kernel.losslessBytes()) };
}

function triedTransforms(kernel: Linked, width: number, keepsHidden: number): number {
  for (;;) {
    const kind = kernel.triedTransforms(width, keepsHidden);
    if (kind !== kernel.undecided.value) return kind;
  }
}

function encodeAtOnce(kernel: Linked): void {
  let isLeft = 1;
  while (isLeft !== 0) isLeft = kernel.encodeOn();
}

function countedLossless(width: number, height: number, kind: number): number {
  counting.beginCounting();
  counting.allocate(4 * width + 16);
  counting.allocateSurvey(width, height);
  // a palette takes less
  counting.allocateLosslessPicture(width, height, kind === transforms.indexed ? 0 : kind);
  return counting.counted();
}

/** The data of an ALPH chunk. */
export function codedAlpha(picture: Picture, isSurveyed: boolean): Coded {
  const { width, height } = picture;
  const kernel = linked();
  kernel.beginPieces();
  const row = kernel.allocate(4 * width + 16);
  let kind = -1;
  if (isSurveyed) {
    kernel.allocateSurvey(width, height);
    kernel.beginSurvey(1);
    forRows(picture, kernel, row, () => kernel.surveyAlphaRow(row));
    kind = kernel.surveyedTransforms();
  }
  const before = kernel.taken();
  kernel.allocateAlphaPlane(width, height, kind);
  const taken = kernel.taken() - before;
  counting.beginCounting();
  const statics = counting.counted();
  counting.allocateAlphaPlane(width, height, kind === transforms.indexed ? 0 : kind);
  const counted = counting.counted() - statics;
  kernel.beginAlphaPlane();
  forRows(picture, kernel, row, () => {
    kernel.takeAlphaRow(row);
    encodeAtOnce(kernel);
  });
  kernel.endAlphaRows();
  encodeAtOnce(kernel);
  const piece = kernel.finishAlphaPlane();
  return { kind, taken, counted, data: gathered(kernel, piece, kernel.alphaPlaneBytes()) };
}

function forRows({ width, height, data }: Picture, kernel: Linked, to: number, take: () => void) {
  for (let y = 0; y < height; y++) {
    kernel.bytes.set(data.subarray(y * width * 4, (y + 1) * width * 4), to);
    take();
  }
}

function gathered(kernel: Linked, piece: number, length: number): Buffer | null {
  if (piece === 0) return null;
  const most = Number(kernel.pieceBytes.value);
  const parts: Buffer[] = [];
  for (let left = length, at = piece; left > 0; left -= most, at = kernel.nextPiece(at)) {
    parts.push(Buffer.from(kernel.bytes.subarray(at, at + Math.min(left, most))));
  }
  return Buffer.concat(parts);
}
