import { deflateSync } from 'node:zlib';
import type {
  ApngChunk,
  ApngContent,
  ApngFrame,
} from '../../../../support/animations/apng-maker.ts';
import { makeApng } from '../../../../support/animations/apng-maker.ts';

type Samples = (x: number, y: number, frame: number) => readonly number[];

/** An APNG with these samples, whose frames all cover the canvas. */
export function apngOf(
  content: Omit<ApngContent, 'frames' | 'plays'> & { readonly count: number },
  samplesAt: Samples,
): Uint8Array<ArrayBuffer> {
  const { width, height, count } = content;
  const frames = Array.from({ length: count }, (_, frame): ApngFrame => {
    const samples: number[] = [];
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) samples.push(...samplesAt(x, y, frame));
    }
    return { region: { left: 0, top: 0, width, height }, samples, delay: [1, 10] };
  });
  return Uint8Array.from(makeApng({ ...content, frames, plays: 0 }));
}

/** An iCCP chunk (PNG third edition §11.3.2.3). */
export function profileChunk(icc: Uint8Array): ApngChunk {
  return { type: 'iCCP', data: Buffer.concat([Buffer.from('ICC\0\0'), deflateSync(icc)]) };
}

/** The data of all chunks of this type in a PNG. */
export function chunksOf(file: Uint8Array, type: string): Buffer[] {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  const found: Buffer[] = [];
  for (let at = 8; at < bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === type) found.push(bytes.subarray(at + 8, end));
    at = end + 4;
  }
  return found;
}

/** The color type in a PNG's header. */
export function colorTypeOf(file: Uint8Array): number | undefined {
  return file[25];
}
