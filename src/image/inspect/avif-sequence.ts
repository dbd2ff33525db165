import { type Box, findBoxes, openFullBox, visitBoxes } from './iso-boxes.ts';

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
