import type { Random } from '../random.ts';
import { below, chosen, type Mutation, noise, withByte } from './mutation.ts';

/** A file with one to four format-agnostic changes. */
export const mutatedBytes: Mutation = (file, random) => mutatedBy(byteMutations, file, random);

/** A JPEG with one to four changes, of bytes or of whole segments and scans. */
export const mutatedJpeg: Mutation = (file, random) =>
  mutatedBy(random.unit() < 0.5 ? byteMutations : segmentMutations, file, random);

function mutatedBy(
  mutations: readonly Mutation[],
  file: Uint8Array,
  random: Random,
): Uint8Array<ArrayBuffer> {
  let result = file.slice();
  for (let left = below(5, random); left >= 0; left -= 2) {
    result = chosen(mutations, random)?.(result, random) ?? result;
  }
  return result;
}

const byteMutations: readonly Mutation[] = [
  (file, random) =>
    withByte(file, anywhere(file, random), (byte) => byte ^ (1 << below(8, random))),
  (file, random) => withByte(file, anywhere(file, random), () => below(256, random)),
  (file, random) => withByte(file, inFront(file, random), (byte) => byte ^ (1 << below(8, random))),
  (file, random) => withByte(file, inFront(file, random), () => extreme(random)),
  // Truncated.
  (file, random) => file.slice(0, anywhere(file, random)),
  // Some bytes removed or inserted.
  (file, random) => spliced(file, anywhere(file, random), 1 + below(8, random), new Uint8Array()),
  (file, random) => spliced(file, anywhere(file, random), 0, noise(1 + below(8, random), random)),
  (file, random) => spliced(file, anywhere(file, random), 0, new Uint8Array(3).fill(0xff)),
  // A part repeated.
  (file, random) => {
    const at = anywhere(file, random);
    return spliced(file, at, 0, file.subarray(at, at + below(400, random)));
  },
];

const segmentMutations: readonly Mutation[] = [
  (file, random) => rearranged(file, random, (parts, i) => parts.toSpliced(i, 1)),
  (file, random) => rearranged(file, random, (parts, i) => parts.toSpliced(i, 0, ...at(parts, i))),
  (file, random) =>
    rearranged(file, random, (parts, i) =>
      parts.toSpliced(i, 1).toSpliced(below(parts.length, random), 0, ...at(parts, i)),
    ),
  // Two scans swapped.
  (file, random) =>
    rearranged(file, random, (parts) => {
      const scans = [...parts.keys()].filter((i) => parts[i]?.[1] === 0xda);
      const [one = 0, other = 0] = [chosen(scans, random), chosen(scans, random)];
      return parts.with(one, parts[other] ?? nothing).with(other, parts[one] ?? nothing);
    }),
  // A byte of a header, or of its length.
  (file, random) =>
    rearranged(file, random, (parts, i) => {
      const part = parts[i] ?? nothing;
      const place = 4 + below(Math.max(1, Math.min(24, part.length - 4)), random);
      return parts.with(
        i,
        withByte(part, place, () => below(256, random)),
      );
    }),
  (file, random) =>
    rearranged(file, random, (parts, i) =>
      parts.with(
        i,
        withByte(parts[i] ?? nothing, 3, (byte) => byte + below(9, random) - 4),
      ),
    ),
  // The marker of another kind of segment.
  (file, random) =>
    rearranged(file, random, (parts, i) =>
      parts.with(
        i,
        withByte(parts[i] ?? nothing, 1, () => 0xc0 + below(0x40, random)),
      ),
    ),
  // Garbage and fill bytes between segments.
  (file, random) => rearranged(file, random, (parts, i) => parts.toSpliced(i, 0, noise(3, random))),
  (file, random) =>
    rearranged(file, random, (parts, i) => parts.toSpliced(i, 0, new Uint8Array(5).fill(0xff))),
];

const nothing = new Uint8Array();

/** @param change receives the segments, scans with their data, and the index of one of them */
function rearranged(
  file: Uint8Array,
  random: Random,
  change: (parts: Uint8Array[], i: number) => readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  const parts = segments(file);
  if (parts.length === 0) return file.slice();
  const changed = change(parts, below(parts.length, random));
  return Uint8Array.from(Buffer.concat([file.subarray(0, 2), ...changed]));
}

/** Splits a file at its markers (ITU-T T.81 §B.1.1); bytes between segments belong to the previous one. */
function segments(file: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let start = 2; start < file.length; ) {
    const code = file[start + 1] ?? 0;
    const length = ((file[start + 2] ?? 0) << 8) | (file[start + 3] ?? 0);
    let end = code === 0xd9 ? start + 2 : start + 2 + length;
    while (end < file.length && !isMarker(file, end)) end += 1;
    parts.push(file.slice(start, end));
    start = end;
  }
  return parts;
}

function isMarker(file: Uint8Array, at: number): boolean {
  const code = file[at + 1] ?? 0;
  return file[at] === 0xff && code >= 0xc0 && code < 0xff && (code < 0xd0 || code > 0xd7);
}

function spliced(
  file: Uint8Array,
  at: number,
  removed: number,
  added: Uint8Array,
): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat([file.subarray(0, at), added, file.subarray(at + removed)]));
}

function at(parts: readonly Uint8Array[], i: number): Uint8Array[] {
  return [parts[i] ?? nothing];
}

function anywhere(file: Uint8Array, random: Random): number {
  return below(file.length, random);
}

/** A random offset in the region of headers. */
function inFront(file: Uint8Array, random: Random): number {
  return below(Math.min(700, file.length), random);
}

function extreme(random: Random): number {
  return chosen([0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff], random) ?? 0;
}
