import { makeWebp, webpChunk } from '../animations/webp-maker.ts';
import { Random } from '../random.ts';
import { joined, repeated } from './bit-writer.ts';
import { frameOfTokens } from './vp8.ts';
import { type Groups, streamOfGroups, streamOfTransforms } from './vp8l.ts';

/** A picture of one color with this many groups of codes. */
export function webpOfGroups(
  side: number,
  kind: Groups,
  stated: number,
  uses: 'all' | 'two',
): Uint8Array<ArrayBuffer> {
  const stream = streamOfGroups({ width: side, height: side }, kind, stated, uses);
  return riff(webpChunk('VP8L', stream));
}

/** An animation of such pictures. */
export function animatedWebpOfGroups(
  side: number,
  kind: Groups,
  stated: number,
  frames: number,
): Uint8Array<ArrayBuffer> {
  const region = { left: 0, top: 0, width: side, height: side };
  const chunks = webpChunk('VP8L', streamOfGroups(region, kind, stated, 'all'));
  const frame = { region, chunks, duration: 100 };
  const size = { width: side, height: side };
  return Uint8Array.from(
    makeWebp({ ...size, loop: 0, frames: Array.from({ length: frames }, () => frame) }),
  );
}

/** An animation of frames of one pixel. */
export function webpOfTinyFrames(frames: number): Uint8Array<ArrayBuffer> {
  return animatedWebpOfGroups(1, 'codes of one symbol', 1, frames);
}

/** A picture of one color with all transforms in the smallest tiles. */
export function webpOfTransforms(side: number): Uint8Array<ArrayBuffer> {
  return riff(webpChunk('VP8L', streamOfTransforms(side, side)));
}

/** A lossy picture whose coded data are random, or of one byte. */
export function webpOfTokens(
  side: number,
  bytes: number,
  fill: number | 'random',
): Uint8Array<ArrayBuffer> {
  const random = new Random(7);
  const data = (length: number) =>
    Uint8Array.from({ length }, fill === 'random' ? () => random.word() & 255 : () => fill);
  const modes = data(Math.min(2 ** 18, 2000 + (side * side) / 30));
  return riff(webpChunk('VP8 ', frameOfTokens(side, side, { modes, tokens: data(bytes) })));
}

/** A small picture before chunks of an unknown type without data. */
export function webpOfChunks(bytes: number): Uint8Array<ArrayBuffer> {
  const header = Uint8Array.of(0, 0, 0, 0, 63, 0, 0, 63, 0, 0);
  const stream = streamOfTransforms(64, 64);
  const storm = repeated(webpChunk('none', new Uint8Array()), bytes);
  return riff(webpChunk('VP8X', header), webpChunk('VP8L', stream), storm);
}

function riff(...chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(webpChunk('RIFF', joined(Buffer.from('WEBP'), ...chunks)));
}
