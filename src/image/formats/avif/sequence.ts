import type { ByteCursor } from '../../container/byte-cursor.ts';
import type { ByteRange } from '../format.ts';
import { type Box, findBoxes, openFullBox, visitBoxes } from './boxes.ts';

/**
 * Frames of an image sequence: the most samples that one of its picture tracks has, and never less
 * than 2 (see `frames` of an inspection). Source: ISO/IEC 23008-12 §7, ISO/IEC 14496-12 §8.7.3.
 */
export function avifSequenceFrames(view: DataView, moov: Box): number {
  let frames = 2;
  visitBoxes(view, moov.start, moov.end, (trak) => {
    if (trak.type !== 'trak') return;
    const sizes = descend(view, trak, ['mdia', 'minf', 'stbl', 'stsz']);
    if (!sizes) return;
    const { cursor } = openFullBox(view, sizes);
    cursor.skip(4);
    frames = Math.max(frames, cursor.uint32());
  });
  return frames;
}

function descend(view: DataView, from: Box, path: readonly string[]): Box | undefined {
  let box: Box | undefined = from;
  for (const type of path) {
    if (!box) return undefined;
    box = findBoxes(view, box.start, box.end, [type])?.[type];
  }
  return box;
}

/** With more, a file that lies could make the comparison take long. */
const maximumRanges = 64;

/**
 * Whether the frames of a sequence may have bytes in common with one of the ranges; true when its
 * tables cannot be read. Source: ISO/IEC 14496-12 §8.7.
 */
export function mayHoldSamples(file: Uint8Array, ranges: readonly ByteRange[]): boolean {
  if (ranges.length === 0) return false;
  if (ranges.length > maximumRanges) return true;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let mayHold = false;
  visitBoxes(view, 0, view.byteLength, (moov) => {
    if (moov.type !== 'moov') return;
    const fits = visitBoxes(view, moov.start, moov.end, (trak) => {
      if (trak.type === 'trak') mayHold ||= trackMayHold(view, trak, ranges);
    });
    mayHold ||= !fits;
  });
  return mayHold;
}

function trackMayHold(view: DataView, trak: Box, ranges: readonly ByteRange[]): boolean {
  let stbl: Box | undefined = trak;
  for (const type of ['mdia', 'minf', 'stbl']) {
    stbl = stbl && findBoxes(view, stbl.start, stbl.end, [type])?.[type];
  }
  const tables = stbl && findBoxes(view, stbl.start, stbl.end, ['stsz', 'stsc', 'stco', 'co64']);
  const offsets = tables?.stco ?? tables?.co64;
  if (!tables?.stsz || !tables.stsc || !offsets) return true;

  const sizes = openFullBox(view, tables.stsz).cursor;
  const commonSize = sizes.uint32();
  sizes.skip(4);
  const runs = openFullBox(view, tables.stsc).cursor;
  runs.skip(4);
  let samplesPerChunk = 0;
  let nextRun = runs.uint32();
  const chunks = openFullBox(view, offsets).cursor;
  const count = chunks.uint32();
  for (let chunk = 1; chunk <= count; chunk++) {
    if (chunk === nextRun) {
      samplesPerChunk = runs.uint32();
      runs.skip(4);
      nextRun = runs.remaining > 0 ? runs.uint32() : 0;
    }
    const offset = offsets === tables.stco ? chunks.uint32() : chunks.uint64();
    const length =
      commonSize > 0 ? commonSize * samplesPerChunk : sumOfSizes(sizes, samplesPerChunk);
    if (chunks.overrun || runs.overrun || sizes.overrun) return true;
    const end = offset + length;
    if (ranges.some((range) => offset < range.offset + range.length && range.offset < end)) {
      return true;
    }
  }
  return false;
}

function sumOfSizes(sizes: ByteCursor, count: number): number {
  let sum = 0;
  for (let left = count; left > 0 && !sizes.overrun; left--) sum += sizes.uint32();
  return sum;
}
