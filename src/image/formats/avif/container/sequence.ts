import { type ByteCursor, type ByteRange, viewOf } from '../../../container/byte-cursor.ts';
import { type Box, findBoxes, openFullBox, visitBoxes } from '../../../container/iso-boxes.ts';

/** Visits the tracks of a movie (ISO/IEC 14496-12 §8.3.1); returns false if a box exceeds it. */
export function visitTracks(view: DataView, moov: Box, visit: (trak: Box) => void): boolean {
  return visitBoxes(view, moov.start, moov.end, (box) => {
    if (box.type === 'trak') visit(box);
  });
}

/**
 * Number of frames of an image sequence: the maximum number of samples in its picture tracks, at least 2 (see `frames`
 * of an inspection). Source: ISO/IEC 23008-12 §7, ISO/IEC 14496-12 §8.7.3.
 */
export function sequenceFrames(view: DataView, moov: Box): number {
  let frames = 2;
  visitTracks(view, moov, (trak) => {
    const sizes = sampleTables(view, trak, ['stsz'])?.stsz;
    if (!sizes) return;
    const { cursor } = openFullBox(view, sizes);
    cursor.skip(4);
    frames = Math.max(frames, cursor.uint32());
  });
  return frames;
}

/** Maximum number of ranges to compare, because a hostile file could make it take long. */
const maxRanges = 64;

/**
 * Whether frames of a sequence may overlap one of the ranges; true if its tables cannot be read.
 * Source: ISO/IEC 14496-12 §8.7.
 */
export function mayHoldSamples(file: Uint8Array, ranges: readonly ByteRange[]): boolean {
  if (ranges.length === 0) return false;
  if (ranges.length > maxRanges) return true;
  const view = viewOf(file);
  let mayHold = false;
  visitBoxes(view, 0, view.byteLength, (moov) => {
    if (moov.type !== 'moov') return;
    const fits = visitTracks(view, moov, (trak) => {
      mayHold ||= trackMayHold(view, trak, ranges);
    });
    mayHold ||= !fits;
  });
  return mayHold;
}

function trackMayHold(view: DataView, trak: Box, ranges: readonly ByteRange[]): boolean {
  const tables = sampleTables(view, trak, ['stsz', 'stsc', 'stco', 'co64']);
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

/** The sample tables of a track; undefined if there are none or a box is damaged. */
function sampleTables<Type extends string>(
  view: DataView,
  trak: Box,
  types: readonly Type[],
): Partial<Record<Type, Box>> | undefined {
  let around: Box | undefined = trak;
  for (const type of ['mdia', 'minf', 'stbl']) {
    around = around && findBoxes(view, around.start, around.end, [type])?.[type];
  }
  return around && findBoxes(view, around.start, around.end, types);
}
