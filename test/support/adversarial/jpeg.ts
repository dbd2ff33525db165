import type { JpegScan } from '../jpeg-maker/content.ts';
import { makeJpeg, segment } from '../jpeg-maker/jpeg-maker.ts';
import { joined, repeated } from './bit-writer.ts';

const flat = new Uint8Array(64);
const gray = [{}];

function flatJpeg(
  side: number,
  scans?: readonly JpegScan[],
  restartInterval = 0,
): Uint8Array<ArrayBuffer> {
  return makeJpeg({
    ...{ width: side, height: side, components: gray, coefficients: () => flat },
    ...(scans && { scans }),
    restartInterval,
  });
}

/** A picture of one color with scans of coefficients that are all zero. */
export function jpegOfScans(side: number, count: number): Uint8Array<ArrayBuffer> {
  const first = { components: [0], ss: 0, se: 0, ah: 0, al: 0 };
  const bands = Array.from({ length: count - 1 }, () => ({ ...first, ss: 1, se: 63 }));
  return flatJpeg(side, [first, ...bands]);
}

/** A picture whose coefficients are refined again and again, without any change. */
export function jpegOfRefinements(side: number, count: number): Uint8Array<ArrayBuffer> {
  const busy = Uint8Array.from({ length: 64 }, () => 64);
  const first = { components: [0], ss: 0, se: 0, ah: 0, al: 0 };
  const band = { components: [0], ss: 1, se: 63, ah: 0, al: 1 };
  const refinements = Array.from({ length: count - 2 }, () => ({ ...band, ah: 1, al: 0 }));
  return makeJpeg({
    ...{ width: side, height: side, components: gray, coefficients: () => busy },
    scans: [first, band, ...refinements],
  });
}

/** A sequential picture with a restart marker after each block. */
export function jpegOfRestarts(side: number): Uint8Array<ArrayBuffer> {
  return flatJpeg(side, undefined, 1);
}

/** A small picture after segments of these kinds, of this many bytes. */
export function jpegOfSegments(
  kind: 'applications' | 'large applications' | 'tables' | 'quantizers',
  bytes: number,
): Uint8Array<ArrayBuffer> {
  const jpeg = flatJpeg(64);
  const units = {
    applications: segment(0xe5, []),
    'large applications': segment(
      0xe5,
      Array.from({ length: 65_533 }, () => 0xff),
    ),
    tables: segment(0xc4, [0x13, 1, ...new Uint8Array(15), 0]),
    quantizers: segment(0xdb, [3, ...new Uint8Array(64).fill(1)]),
  };
  const storm = repeated(Uint8Array.from(units[kind]), bytes);
  return joined(jpeg.subarray(0, 2), storm, jpeg.subarray(2));
}

/** A small picture whose scan is followed by bytes that look like markers, and are none. */
export function jpegOfStuffing(unit: readonly number[], bytes: number): Uint8Array<ArrayBuffer> {
  const jpeg = flatJpeg(64);
  const end = jpeg.length - 2;
  return joined(jpeg.subarray(0, end), repeated(Uint8Array.from(unit), bytes), jpeg.subarray(end));
}
