import { constants, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { plainDecoded } from '../../../../../bench/codecs/png/plain-decoder.ts';
import { optimize } from '../../../../support/engine.ts';
import { chunk } from '../../../../support/pictures.ts';
import { rewrapped } from '../pictures.ts';
import { filteredRows, type Picture, pngWith } from './png-writer.ts';
import { inspection, read } from './reading.ts';

// What Chromium 156 shows was seen there, with files made like these.

const picture: Picture = {
  ...{ width: 30, height: 20, colorType: 2, bitDepth: 8 },
  sample: (x, y, channel) => (x * y * (channel + 3)) & 255,
};
const indexed: Picture = {
  ...{ width: 16, height: 8, colorType: 3, bitDepth: 8 },
  palette: Uint8Array.of(255, 0, 0, 0, 255, 0, 0, 0, 255),
  sample: (x, y) => (x + y) % 3,
};
const grey: Picture = { ...picture, colorType: 0 };
const rows = filteredRows(picture);
const stream = deflateSync(rows);
const sound = pngWith(picture);
const whole = read(sound);
const end = chunk('IEND', Buffer.alloc(0));
const noEnd = sound.subarray(0, -end.length);

const joined = (...parts: Uint8Array[]) => Uint8Array.from(Buffer.concat(parts));
/** With chunks between the header and what follows it. */
const inserted = (file: Uint8Array, ...chunks: Uint8Array[]) =>
  joined(file.subarray(0, 33), ...chunks, file.subarray(33));
const misChecked = (bytes: Uint8Array) => {
  const copy = Uint8Array.from(bytes);
  copy[copy.length - 1] = (copy[copy.length - 1] ?? 0) ^ 1;
  return copy;
};

describe('a PNG that browsers show', () => {
  it.each([
    ['rows follow the last one', pngWith(picture, deflateSync(Buffer.concat([rows, rows])))],
    ['the checksum of the stream is wrong', pngWith(picture, misChecked(stream))],
    ['the checksum of the stream is missing', pngWith(picture, stream.subarray(0, -4))],
    ['the checksum of a chunk is wrong', joined(misChecked(noEnd), end)],
    [
      'a stream of the fixed codes has no checksum',
      pngWith(picture, deflateSync(rows, { strategy: constants.Z_FIXED }).subarray(0, -4)),
    ],
    [
      'the stream has no last block',
      pngWith(picture, deflateSync(rows, { finishFlush: constants.Z_SYNC_FLUSH })),
    ],
    ['the file ends before the checksums', noEnd.subarray(0, -8)],
    [
      'a chunk with a wrong checksum follows',
      joined(noEnd, misChecked(chunk('IDAT', stream)), end),
    ],
    ['bytes of no chunk follow', joined(noEnd, Buffer.from('by no means a chunk'))],
    ['zeros follow', joined(noEnd, Buffer.alloc(40))],
    ['a text is cut short', joined(noEnd, chunk('tEXt', Buffer.alloc(40)).subarray(0, 30))],
    ['an unknown critical chunk follows', joined(noEnd, chunk('ABCD', Buffer.alloc(1)), end)],
    ['a palette follows', joined(noEnd, chunk('PLTE', Buffer.alloc(30)), end)],
    ['an ancillary chunk has an odd name', inserted(sound, chunk('ab1d', Buffer.alloc(1)))],
    [
      'the animation header is damaged',
      inserted(sound, misChecked(chunk('acTL', Buffer.alloc(8, 1)))),
    ],
    ['the animation header is short', inserted(sound, chunk('acTL', Buffer.alloc(4, 1)))],
    ['the proposed palette has 31 bytes', inserted(sound, chunk('PLTE', Buffer.alloc(31)))],
    ['the transparent colour is too short', inserted(sound, chunk('tRNS', Buffer.alloc(4)))],
    [
      'the transparent colour is damaged',
      inserted(sound, misChecked(chunk('tRNS', Buffer.alloc(6)))),
    ],
  ])('is read, kept and rewrapped whole where %s', (_, file) => {
    expect(read(file)).toEqual(whole);
    const { bytes } = optimize(file, { quality: 'lossless' });
    expect(plainDecoded(bytes)).toEqual(plainDecoded(sound));
    expect(read(rewrapped(file))).toEqual(whole);
  });

  it('is refused where no checksum vouches for its rows', () => {
    const file = pngWith(picture, misChecked(stream));
    file[file.length - end.length - 1] = (file[file.length - end.length - 1] ?? 0) ^ 1;
    expect(read(file)).toBe('damaged');
  });
});

describe('the transparency of a PNG', () => {
  const alphas = Uint8Array.of(0, 128, 255, 9, 9);

  it.each([
    ['is stated for more entries than the palette has', indexed, alphas, alphas.subarray(0, 3)],
    ['is stated for more entries than there can be', indexed, new Uint8Array(257), null],
    ['is stated for no entry', indexed, new Uint8Array(0), null],
    ['has more than one grey', grey, Uint8Array.of(0, 7, 0, 9), Uint8Array.of(0, 7)],
    ['has half a grey', grey, Uint8Array.of(7), null],
    ['has more than one colour', picture, new Uint8Array(8), new Uint8Array(6)],
  ])('is what browsers take it for where it %s', (_, shape, stated, counted) => {
    const file = pngWith({ ...shape, transparency: stated });
    const plain = pngWith(counted ? { ...shape, transparency: counted } : shape);
    expect(inspection(file)?.hasAlpha).toBe(counted !== null);
    expect(read(file)).toEqual(read(plain));
    expect(rewrapped(file)).toEqual(plain);
  });

  it('counts only behind the palette', () => {
    const file = inserted(pngWith(indexed), chunk('tRNS', Buffer.from(alphas.subarray(0, 3))));
    expect(inspection(file)?.hasAlpha).toBe(false);
    expect(read(file)).toEqual(read(pngWith(indexed)));
    expect(rewrapped(file)).toEqual(pngWith(indexed));
  });

  it('counts beside a palette with surplus bytes, which is no entry', () => {
    const palette = Uint8Array.of(...(indexed.palette ?? []), 200);
    expect(read(pngWith({ ...indexed, palette }))).toEqual(read(pngWith(indexed)));
  });
});
