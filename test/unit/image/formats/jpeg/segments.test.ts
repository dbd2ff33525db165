import { describe, expect, it } from 'vitest';
import { ContainerError } from '../../../../../src/image/container/assemble.ts';
import {
  imageParts,
  MarkerWalker,
  marker,
} from '../../../../../src/image/formats/jpeg/segments.ts';

const comment = [0xff, marker.com, 0, 4, 7, 7];
const scanHeader = [0xff, marker.sos, 0, 3, 0];
const end = [0xff, marker.eoi];

describe('the walker over markers', () => {
  it('reports segments with their offsets, and the end marker', () => {
    expect(walked(comment, end)).toEqual([
      { code: marker.com, start: 2, end: 8, fault: null },
      { code: marker.eoi, start: 8, end: 10, fault: null },
    ]);
  });

  it('steps over garbage, fill bytes, stuffed bytes, TEM and restart markers', () => {
    const noise = [1, 2, 0xff, 0, 0xff, marker.tem, 0xff, marker.rst0, 0xff, marker.rst7, 0xff];
    expect(walked(noise, end)).toEqual([
      { code: marker.eoi, start: 2 + noise.length, end: 4 + noise.length, fault: null },
    ]);
  });

  it('does not look for markers inside segments', () => {
    expect(walked([0xff, marker.com, 0, 4, ...end], comment).map(({ code }) => code)).toEqual([
      marker.com,
      marker.com,
    ]);
  });

  it.each([
    ['whose length covers less than itself', [0xff, marker.dqt, 0, 1, 0, 0], 'impossible'],
    ['that would be skipped whatever its length is', [0xff, marker.com, 0, 1, 0, 0], null],
    ['that is longer than the file', [0xff, marker.com, 0, 5, 0, 0], 'truncated'],
    ['without all of its length', [0xff, marker.com, 9], 'truncated'],
    ['without a length', [0xff, marker.com], 'truncated'],
  ])('tells of a segment %s', (_name, bytes, fault) => {
    expect(walked(bytes)[0]?.fault).toBe(fault);
  });

  it('ends at a lone 0xFF, and at once in a file of nothing but a start marker', () => {
    expect(walked([0xff, 0xff])).toEqual([]);
    expect(walked()).toEqual([]);
  });
});

describe('the parts of an image', () => {
  it('are its segments, its scan data without the fill bytes behind them, and its end', () => {
    const data = [1, 0xff, 0, 2, 0xff, marker.rst0, 3];
    expect(parts(comment, scanHeader, data, [0xff, 0xff], end)).toEqual([
      ['application', 2, 8],
      ['coding', 8, 13],
      ['scan data', 13, 20],
      ['end', 22, 24],
    ]);
  });

  it('end behind a scan where something follows that is no segment of the image', () => {
    for (const garbage of [
      [0xff, marker.soi],
      [0xff, marker.sof0, 0, 2],
      [0xff, marker.com, 0, 99],
    ]) {
      expect(parts(scanHeader, [5], garbage, end).map(([kind]) => kind)).toEqual([
        'coding',
        'scan data',
      ]);
    }
  });

  it('cannot be told where the headers before the first scan are broken', () => {
    for (const header of [
      [0xff, marker.soi],
      [0xff, marker.dqt, 0, 1],
      [0xff, 0x02, 0, 2],
    ]) {
      expect(() => parts(header, scanHeader, end)).toThrow(ContainerError);
    }
  });
});

function file(pieces: readonly (readonly number[])[]): Uint8Array {
  return Uint8Array.from([0xff, marker.soi, ...pieces.flat()]);
}

function walked(...pieces: readonly (readonly number[])[]) {
  const walker = new MarkerWalker(file(pieces));
  const found = [];
  while (walker.next()) {
    const { code, start, end, fault } = walker;
    found.push({ code, start, end, fault });
  }
  return found;
}

function parts(...pieces: readonly (readonly number[])[]) {
  return Array.from(imageParts(file(pieces)), ({ kind, start, end }) => [kind, start, end]);
}
