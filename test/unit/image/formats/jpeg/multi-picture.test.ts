import { describe, expect, it } from 'vitest';
import {
  listedImages,
  multiPictureBytes,
  multiPictureSegment,
} from '../../../../../src/image/formats/jpeg/multi-picture.ts';

/** What follows marker and length. */
const content = (segment: Uint8Array) => segment.subarray(4);

describe('an index of images', () => {
  it('says where it was told that the second image begins', () => {
    const segment = multiPictureSegment(1000, 50_000, 700);
    expect(segment.length).toBe(multiPictureBytes);
    expect(listedImages(content(segment), 1004)).toEqual([50_000]);
    const bytes = Buffer.from(segment);
    expect(bytes.readUInt16BE(2)).toBe(multiPictureBytes - 2);
    // lengths of both, behind their attributes
    expect([bytes.readUInt32BE(62), bytes.readUInt32BE(78)]).toEqual([50_000, 700]);
  });

  it('is read in both byte orders, and with up to eight images', () => {
    const index = Buffer.alloc(4 + 26 + 16 * 20);
    index.write('MPF\0II*\0', 'latin1');
    index.writeUInt32LE(8, 8);
    index.writeUInt16LE(1, 12);
    index.writeUInt16LE(0xb002, 14);
    index.writeUInt32LE(16 * 20, 18);
    index.writeUInt32LE(26, 22);
    for (let i = 0; i < 20; i += 1) index.writeUInt32LE(100 * i, 4 + 26 + 16 * i + 8);
    expect(listedImages(index, 10)).toEqual([1, 2, 3, 4, 5, 6, 7].map((i) => 14 + 100 * i));
    expect(listedImages(index.subarray(0, 90), 10)).toEqual([114, 214]);
  });

  it('lists nothing where it is damaged', () => {
    const segment = content(multiPictureSegment(0, 5000, 700));
    for (let length = 0; length < 4 + 50 + 32; length += 1) {
      expect(listedImages(segment.subarray(0, length), 4), `${length}`).toEqual([]);
    }
    for (const [at, value] of [
      [0, 'X'],
      [4, 'XX'],
      [8, '\xff\xff\xff\xff'],
      [12, '\0\0'],
      [48, '\xff\xff\xff\xff'],
    ] as const) {
      const bytes = Buffer.from(segment);
      bytes.write(value, at, 'latin1');
      expect(listedImages(bytes, 4), `${at}`).toEqual([]);
    }
  });
});
