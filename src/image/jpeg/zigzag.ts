import { zigzag } from '../inspect/jpeg-quantization.ts';

/** 64 values of a block, from row-major order to that of the file (ITU-T T.81 figure A.6). */
export function toZigzag(rowMajor: Uint16Array): Uint16Array {
  return Uint16Array.from(zigzag, (position) => rowMajor[position] ?? 0);
}
