import { constants, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { PngInspection } from '../../../src/image/formats/png/inspect.ts';
import {
  filteredRows,
  layouts,
  type Picture,
  pngWith,
  randomNumbers,
} from '../../unit/image/formats/png/png-writer.ts';
import { inspection, read, readRaster } from '../../unit/image/formats/png/reading.ts';

const picture: Picture = {
  ...{ width: 30, height: 20, colorType: 6, bitDepth: 8 },
  sample: (x, y, channel) => (x * y * (channel + 3) + ((x * 7919) >> 3)) & 0xff,
};
const rows = filteredRows(picture);
const sound = pngWith(picture);
const whole = read(sound);
/** Bytes of a code for the end of a block, which is not needed once all rows are there. */
const maxEndBytes = 2;
const isSound = (file: Uint8Array) => typeof read(file) !== 'string';
const withData = (data: Uint8Array) => read(pngWith(picture, data));

describe('the rows of a PNG', () => {
  it('must be there to the last byte', () => {
    expect(isSound(sound)).toBe(true);
    expect(withData(deflateSync(rows.subarray(0, -1)))).toBe('damaged');
    expect(withData(deflateSync(Buffer.alloc(0)))).toBe('damaged');
  });

  it('must have a filter that exists', () => {
    const unknown = Buffer.from(rows);
    unknown.writeUInt8(5, 121);
    expect(withData(deflateSync(unknown))).toBe('damaged');
  });
});

describe('the checksums of a PNG', () => {
  const stream = deflateSync(rows);
  const changed = (at: number) => {
    const bytes = Buffer.from(stream);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes;
  };

  it('must be right either behind the deflated data or behind each chunk of them', () => {
    for (const chunkBytes of [stream.length, 100]) {
      const misChecked = (data: Buffer) => {
        const file = pngWith(picture, data, chunkBytes);
        file[file.length - 13] = (file[file.length - 13] ?? 0) ^ 1;
        return file;
      };
      expect(isSound(misChecked(stream))).toBe(true);
      for (const back of [1, 2, 3, 4]) {
        expect(isSound(pngWith(picture, changed(stream.length - back), chunkBytes))).toBe(true);
        expect(isSound(pngWith(picture, stream.subarray(0, -back), chunkBytes))).toBe(true);
        expect(read(misChecked(changed(stream.length - back)))).toBe('damaged');
      }
    }
  });

  it('must be right in the header of the zlib stream, which names no dictionary', () => {
    expect(withData(changed(0))).toBe('damaged');
    expect(withData(changed(1))).toBe('damaged');
    for (const [method, flags] of [
      [0x77, 0x85],
      [0x88, 0x1c],
      [0x78, 0xbb],
    ]) {
      expect(((method ?? 0) * 256 + (flags ?? 0)) % 31).toBe(0);
      expect(
        withData(Buffer.concat([Buffer.of(method ?? 0, flags ?? 0), stream.subarray(2)])),
      ).toBe('damaged');
    }
  });

  it('let bytes behind them stand', () => {
    expect(isSound(pngWith(picture, Buffer.concat([stream, Buffer.from('more')])))).toBe(true);
  });
});

describe('a PNG that is cut short', () => {
  it.each([
    ['in one chunk', sound],
    ['in chunks of 50 bytes', pngWith(picture, undefined, 50)],
    ['of stored blocks', pngWith(picture, deflateSync(rows, { level: 0 }))],
  ])('is sound only when all rows are there: %s', (_, file) => {
    // the checksum of the stream, that of the chunk, and the trailer
    const dataEnd = file.length - 4 - 4 - 12;
    for (let length = 0; length < file.length; length += 1) {
      const outcome = read(file.subarray(0, length));
      if (length >= dataEnd || typeof outcome !== 'string') expect(outcome).toEqual(whole);
      if (length < dataEnd - maxEndBytes) expect(outcome, `${length} bytes`).toBeTypeOf('string');
    }
  });

  it('is damaged when its data are, whatever the chunks say', () => {
    const { Z_FIXED: strategy } = constants;
    for (const stream of [deflateSync(rows), deflateSync(rows, { strategy })]) {
      for (let length = 0; length < stream.length; length += 1) {
        const outcome = read(pngWith(picture, stream.subarray(0, length)));
        const isWhole = length >= stream.length - 4;
        if (isWhole || typeof outcome !== 'string') expect(outcome).toEqual(whole);
        if (length < stream.length - 4 - maxEndBytes) expect(outcome).toBeTypeOf('string');
      }
    }
  });
});

describe('a PNG that states far more than it has', () => {
  const huge = { width: 0x7fff_ffff, height: 0x7fff_ffff };

  it('is damaged before anything is allocated', () => {
    expect(read(pngWith({ ...picture, ...huge }, deflateSync(rows)))).toBe('damaged');
    expect(read(pngWith({ ...picture, ...huge, interlaced: true }, deflateSync(rows)))).toBe(
      'damaged',
    );
  });

  it('takes no more memory when 64 MiB lie behind its last row', () => {
    const bomb = pngWith(picture, deflateSync(Buffer.alloc(64 * 2 ** 20)));
    const before = process.memoryUsage().arrayBuffers;
    expect(read(bomb)).not.toBe('damaged');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 20);
  });
});

describe('chance damage', () => {
  /** The pixels of a file whose data were changed. */
  function damaged(image: PngInspection, file: Uint8Array, change: (data: Buffer) => void) {
    const changed = Buffer.from(file);
    const start = changed.indexOf('IDAT') + 4;
    change(changed.subarray(start, start + changed.readUInt32BE(start - 8)));
    return readRaster(changed, image);
  }

  it('is found by a checksum or changes nothing, and never ends otherwise', () => {
    const random = randomNumbers(5);
    for (const [colorType, bitDepth] of layouts) {
      for (const level of [0, 1, 9]) {
        const original: Picture = {
          ...{ width: 40, height: 25, colorType, bitDepth, interlaced: level === 1 },
          sample: (x, y, channel) => (x * x + y * 3 + channel) % 2 ** bitDepth,
          ...(colorType === 3 ? { palette: new Uint8Array(3 * 2 ** bitDepth).fill(9) } : {}),
        };
        const file = pngWith(original, deflateSync(filteredRows(original), { level }));
        const image = inspection(file);
        if (image === null) throw new Error('not a PNG');
        const pixels = readRaster(file, image);
        for (let round = 0; round < 40; round += 1) {
          const outcome = damaged(image, file, (data) => {
            for (let changes = random(3); changes >= 0; changes -= 1) {
              data.writeUInt8(random(256), random(data.length));
            }
          });
          if (outcome !== null) expect(outcome).toEqual(pixels);
        }
      }
    }
  });

  it('of the whole file never throws', () => {
    const random = randomNumbers(6);
    let read = 0;
    for (let round = 0; round < 3000; round += 1) {
      const file = sound.slice();
      for (let changes = random(4); changes >= 0; changes -= 1) {
        file[random(file.length)] = random(256);
      }
      const image = inspection(file);
      if (image === null) continue;
      readRaster(file, image);
      read += 1;
    }
    expect(read).toBeGreaterThan(100);
  });
});
